// SPDX-License-Identifier: BSD-3-Clause
#include "carriers/awaited.hpp"

#include <atomic>
#include <utility>

#include "library/error.hpp"
#include "library/progress.hpp"
#include "library/quirks.hpp"
#include "library/real.hpp"
#include "node/channel.hpp"

namespace laneway {

Awaited::Awaited(std::size_t requests, MPI_Comm comm, std::size_t near, NodeChannel* channel,
                 Over over)
    : comm_(comm),
      channel_(channel),
      over_(std::move(over)),
      indices_(requests + 1),
      statuses_(requests + 1)
{
    requests_.reserve(requests + 1);
    strands_.reserve(requests);
    lengths_.reserve(requests);
    near_.reserve(near);
}

Awaited::~Awaited() { give_up(); }

void Awaited::give_up()
{
    for (const Near& one : near_) channel_->give_up(one.message);
    near_.clear();
    for (MPI_Request& request : requests_) laneway::give_up(request);
    requests_.clear();
}

void Awaited::add(std::size_t strand, MPI_Request request, std::int64_t length)
{
    requests_.push_back(request);
    strands_.push_back(strand);
    lengths_.push_back(length);
    seen_.reset();
}

void Awaited::add(std::size_t strand, NodeMessage* message) { near_.push_back({strand, message}); }

bool Awaited::look()
{
    const bool any_near = look_near();
    return test() || any_near;
}

bool Awaited::look_at_news()
{
    const bool any_near = look_near();
    const unsigned news = progress::news();
    if (seen_ == news) return any_near;
    const bool any_request = test() || look_at_found();
    if (!any_request) seen_ = news;
    return any_request || any_near;
}

bool Awaited::look_at_what_is_there()
{
    const bool any_near = look_near();
    return look_at_found() || any_near;
}

bool Awaited::test()
{
    if (requests_.empty()) return false;
    int completed = 0;
    const int code = real::Testsome(static_cast<int>(requests_.size()), requests_.data(),
                                    &completed, indices_.data(), statuses_.data());
    return settle(code, completed);
}

/// Takes off messages that the library's last look has brought. Does nothing where a test would be another look.
bool Awaited::look_at_found()
{
    if (requests_.empty() || !quirks().tests_before_looking) return false;
    MPI_Request nobodys = MPI_REQUEST_NULL;
    check(PMPI_Irecv(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, comm_, &nobodys));
    requests_.push_back(nobodys);
    return test();
}

void Awaited::wait()
{
    int completed = 0;
    const int code = real::Waitsome(static_cast<int>(requests_.size()), requests_.data(),
                                    &completed, indices_.data(), statuses_.data());
    settle(code, completed);
}

bool Awaited::look_near()
{
    std::size_t kept = 0;
    for (const Near& one : near_) {
        if (!one.message->done.load(std::memory_order_acquire))
            near_[kept++] = one;
        else
            over_(one.strand, channel_->finish(one.message));
    }
    const bool any = kept < near_.size();
    near_.resize(kept);
    return any;
}

/// Takes completed requests off; `code` is the error code of their completion. True: there were some.
bool Awaited::settle(int code, int completed)
{
    const bool failed = is_in_status(code);
    if (!failed) check(code);  // the error is no message's: nothing can go on
    for (int at = 0; at < completed; ++at) {
        const auto index = static_cast<std::size_t>(indices_[static_cast<std::size_t>(at)]);
        if (index == strands_.size()) continue;  // nobody's
        over_(strands_[index],
              outcome_of(statuses_[static_cast<std::size_t>(at)], failed, lengths_[index]));
    }
    std::size_t kept = 0;
    for (std::size_t index = 0; index < requests_.size(); ++index) {
        if (requests_[index] == MPI_REQUEST_NULL) continue;
        requests_[kept] = requests_[index];
        lengths_[kept] = lengths_[index];
        strands_[kept++] = strands_[index];
    }
    const bool any = kept < strands_.size();
    requests_.resize(kept);
    strands_.resize(kept);
    lengths_.resize(kept);
    return any;
}

}  // namespace laneway
