// SPDX-License-Identifier: BSD-3-Clause
#include "bench/job/crew.hpp"

namespace laneway::bench {

Crew::Crew(int threads) : start_(threads), end_(threads)
{
    for (int thread = 1; thread < threads; ++thread)
        others_.emplace_back([this, thread] { follow(thread); });
}

Crew::~Crew()
{
    work_ = nullptr;
    start_.arrive_and_wait();
    for (std::thread& other : others_) other.join();
}

void Crew::run(const std::function<void(int)>& work)
{
    if (others_.empty()) {
        work(0);
        return;
    }
    work_ = &work;
    start_.arrive_and_wait();
    work(0);
    end_.arrive_and_wait();
}

void Crew::follow(int thread)
{
    for (;;) {
        start_.arrive_and_wait();
        if (work_ == nullptr) return;
        (*work_)(thread);
        end_.arrive_and_wait();
    }
}

}  // namespace laneway::bench
