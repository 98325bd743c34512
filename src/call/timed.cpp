// SPDX-License-Identifier: BSD-3-Clause
#include "call/timed.hpp"

#include <mutex>
#include <unordered_map>

namespace laneway {
namespace {

/// Never destroyed: a program may wait for requests in a destructor that runs after ours.
struct Timed {
    std::mutex mutex;
    std::unordered_map<MPI_Request, Report::Row*> rows;
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
    all_timed().rows.emplace(request, &row);
    under_way_ = all_timed().rows.size();
}

TimedRequests::Watched::Watched(int count, const MPI_Request* requests) : requests_(requests)
{
    const std::scoped_lock lock(all_timed().mutex);
    for (int i = 0; i < count; ++i) {
        const auto known = all_timed().rows.find(requests[i]);
        if (known == all_timed().rows.end()) continue;
        places_.emplace_back(i, known->first);
        rows_.push_back(known->second);
    }
}

void TimedRequests::Watched::took(double seconds) const
{
    {
        const std::scoped_lock lock(all_timed().mutex);
        for (const auto& [place, request] : places_)
            if (requests_[place] == MPI_REQUEST_NULL) all_timed().rows.erase(request);
        under_way_ = all_timed().rows.size();
    }
    Report* const report = Report::own();
    if (!report) return;
    const double part = seconds / static_cast<double>(rows_.size());
    for (Report::Row* const row : rows_) report->add(*row, {.seconds = part});
}

}  // namespace laneway
