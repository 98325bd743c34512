// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <barrier>
#include <functional>
#include <thread>
#include <vector>

namespace laneway::bench {

/// Threads of one rank that do a thing at the same time. The caller is the first of them.
class Crew {
public:
    explicit Crew(int threads);
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;
    ~Crew();

    int size() const { return static_cast<int>(others_.size()) + 1; }

    /// Has every thread call `work` with its number; returns when all have.
    void run(const std::function<void(int thread)>& work);

private:
    void follow(int thread);

    const std::function<void(int)>* work_ = nullptr;  ///< Null: the crew ends.
    std::barrier<> start_;
    std::barrier<> end_;
    std::vector<std::thread> others_;
};

}  // namespace laneway::bench
