// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <unordered_map>
#include <vector>

#include "call/course.hpp"
#include "call/enter.hpp"
#include "report/report.hpp"

/// Nonblocking calls that the library serves and that are timed for advice. Their time is that of the call that begins
/// one, and of calls in which the process waits for its end or asks for it. No process meets others for that: late ones
/// are a part of the time.
namespace laneway {

/// Whether this process's calls are to be timed.
inline bool is_advice_asked_for() { return Report::own() && Settings::own()->advises(); }

/// The operations under way that are timed.
class TimedRequests {
public:
    using Rows = std::unordered_map<MPI_Request, Report::Row*>;

    /// The operation that has begun as `request` is counted in `row`.
    static void add(MPI_Request request, Report::Row& row);

    /// `body()`, a call of the library's that waits for `count` requests, or asks for them. Its time belongs to those
    /// of them that are timed, in equal parts.
    template <class Body>
    static int watch(int count, const MPI_Request* requests, const Body& body)
    {
        if (under_way_.load(std::memory_order_relaxed) == 0 || !requests) return body();
        const Watched watched(count, requests);
        if (watched.none()) return body();
        const double began = PMPI_Wtime();
        const int code = body();
        watched.took(PMPI_Wtime() - began);
        return code;
    }

private:
    /// The timed ones among the requests of a call.
    class Watched {
    public:
        Watched(int count, const MPI_Request* requests);
        Watched(const Watched&) = delete;
        Watched& operator=(const Watched&) = delete;
        /// Requests that have ended in the call are no longer timed.
        ~Watched();
        bool none() const { return taken_.empty(); }
        /// The call took so long.
        void took(double seconds) const;

    private:
        struct One {
            int place;
            Rows::node_type entry;
        };
        const MPI_Request* requests_;
        std::vector<One> taken_;
    };

    static inline std::atomic<std::size_t> under_way_ = 0;
};

/// `begin()`, a nonblocking call of the library's, timed and counted as `decision` says once it has `described` it.
template <class Begin, class Describe>
int timed(MPI_Comm comm, Decision decision, const MPI_Request* request, const Begin& begin,
          const Describe& describe)
{
    const double came = PMPI_Wtime();
    const int code = begin();
    decision.times.seconds = PMPI_Wtime() - came;
    if (code == MPI_SUCCESS) describe(decision);
    Report::Row& row = Report::own()->count(reported_of(comm), decision);
    if (code == MPI_SUCCESS) TimedRequests::add(*request, row);
    return code;
}

}  // namespace laneway
