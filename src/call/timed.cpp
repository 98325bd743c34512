// SPDX-License-Identifier: BSD-3-Clause
#include "call/timed.hpp"

#include <mutex>
#include <utility>

namespace laneway {
namespace {

/// Never destroyed: a program may wait for requests in a destructor that runs after ours.
struct Timed {
    std::mutex mutex;
    TimedRequests::Rows rows;
};
Timed& all_timed()
{
    static auto* const only = new Timed;
    return *only;
}

}  // namespace

void TimedRequests::add(MPI_Request request, Report::Row& row)
{
    if (request == MPI_REQUEST_NULL) return;
    const std::scoped_lock lock(all_timed().mutex);
    all_timed().rows.insert_or_assign(request, &row);
    under_way_ = all_timed().rows.size();
}

/// Meanwhile they are in nobody's list. Once a request has ended, its handle may be that of another thread's next one,
/// before this thread has counted the time.
TimedRequests::Watched::Watched(int count, const MPI_Request* requests) : requests_(requests)
{
    const std::scoped_lock lock(all_timed().mutex);
    for (int i = 0; i < count; ++i)
        if (auto known = all_timed().rows.extract(requests[i]))
            taken_.emplace_back(i, std::move(known));
    under_way_ = all_timed().rows.size();
}

TimedRequests::Watched::~Watched()
{
    const std::scoped_lock lock(all_timed().mutex);
    for (One& one : taken_)
        if (requests_[one.place] != MPI_REQUEST_NULL) all_timed().rows.insert(std::move(one.entry));
    under_way_ = all_timed().rows.size();
}

void TimedRequests::Watched::took(double seconds) const
{
    Report* const report = Report::own();
    if (!report) return;
    const double part = seconds / static_cast<double>(taken_.size());
    for (const One& one : taken_) report->add(*one.entry.mapped(), {.seconds = part});
}

}  // namespace laneway
