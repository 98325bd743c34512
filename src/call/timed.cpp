// SPDX-License-Identifier: BSD-3-Clause
#include "call/timed.hpp"

#include <mutex>
#include <utility>

namespace laneway {
namespace {

/// Never destroyed: a program may wait for requests in a destructor that runs after ours.
struct Timed {
    std::mutex mutex;
    TimedRequests::Takers takers;
};
Timed& all_timed()
{
    static auto* const only = new Timed;
    return *only;
}

}  // namespace

/// Operations that end where they begin may share a handle: one that is known already has ended.
void TimedRequests::add(MPI_Request request, Taker taker)
{
    if (!is_watching_) return;
    if (request == MPI_REQUEST_NULL) return taker(0, Part::end);
    Takers::node_type ended;
    {
        const std::scoped_lock lock(all_timed().mutex);
        ended = all_timed().takers.extract(request);
        all_timed().takers.emplace(request, std::move(taker));
        known_ = all_timed().takers.size();
    }
    if (ended) ended.mapped()(0, Part::end);
}

void TimedRequests::forget(MPI_Request request)
{
    if (known_.load(std::memory_order_relaxed) == 0) return;
    const std::scoped_lock lock(all_timed().mutex);
    all_timed().takers.erase(request);
    known_ = all_timed().takers.size();
}

/// Meanwhile they are in nobody's list. Once a request has ended, its handle may be that of another thread's next one,
/// before this thread has counted the time.
TimedRequests::Watched::Watched(int count, const MPI_Request* requests, Part part)
    : requests_(requests),
      part_(part)
{
    const std::scoped_lock lock(all_timed().mutex);
    for (int i = 0; i < count; ++i)
        if (auto known = all_timed().takers.extract(requests[i]))
            taken_.emplace_back(i, std::move(known));
    known_ = all_timed().takers.size();
}

TimedRequests::Watched::~Watched()
{
    const std::scoped_lock lock(all_timed().mutex);
    for (One& one : taken_)
        if (!has_ended(one)) all_timed().takers.insert(std::move(one.taker));
    known_ = all_timed().takers.size();
}

void TimedRequests::Watched::took(double seconds)
{
    const double share = seconds / static_cast<double>(taken_.size());
    for (One& one : taken_) one.taker.mapped()(share, has_ended(one) ? Part::end : part_);
}

}  // namespace laneway
