// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "call/communicator/state.hpp"
#include "report/predefined.hpp"
#include "report/report.hpp"

/// Nonblocking calls that are timed, for advice or to learn from. Their time is that of the call that begins one, and of
/// calls in which the process waits for its end or asks for it. No process meets others for that: late ones are a part
/// of the time.
namespace laneway {

/// Whether this process's calls are to be timed.
inline bool is_advice_asked_for() { return Report::own() && Settings::own()->advises(); }

/// The operations that are timed: nonblocking ones under way, and persistent ones until they are freed.
class TimedRequests {
public:
    /// The part of an operation that a call is.
    enum class Part { start, wait, end };
    /// Takes the seconds that a call has taken of the process's time for an operation. The starts of persistent
    /// operations are told, and the ends of others.
    using Taker = std::function<void(double seconds, Part part)>;
    using Takers = std::unordered_map<MPI_Request, Taker>;

    /// `taker` takes the times of the operation that has begun as `request`. Nothing where waiting is not watched.
    static void add(MPI_Request request, Taker taker);
    static bool is_watching() { return is_watching_; }
    /// From now on watch() is told of all calls in which the program waits. A program that is linked with Laneway, and
    /// has no preload, tells of none.
    static void watch_all() { is_watching_ = true; }

    /// The program has freed that persistent request.
    static void forget(MPI_Request request);

    /// `body()`, a call of the library's that starts `count` requests, waits for them, or asks for them. Its time
    /// belongs to those of them that are timed, in equal parts.
    template <class Body>
    static int watch(int count, const MPI_Request* requests, const Body& body,
                     Part part = Part::wait)
    {
        if (known_.load(std::memory_order_relaxed) == 0 || !requests) return body();
        Watched watched(count, requests, part);
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
        Watched(int count, const MPI_Request* requests, Part part);
        Watched(const Watched&) = delete;
        Watched& operator=(const Watched&) = delete;
        /// Requests that have not ended in the call are timed further.
        ~Watched();
        bool none() const { return taken_.empty(); }
        /// The call took so long.
        void took(double seconds);

    private:
        struct One {
            int place;
            Takers::node_type taker;
        };
        bool has_ended(const One& one) const { return requests_[one.place] == MPI_REQUEST_NULL; }

        const MPI_Request* requests_;
        Part part_;
        std::vector<One> taken_;
    };

    static inline std::atomic<bool> is_watching_ = false;
    static inline std::atomic<std::size_t> known_ = 0;  ///< operations
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
    if (code == MPI_SUCCESS)
        TimedRequests::add(*request, [&row](double seconds, TimedRequests::Part) {
            if (Report* const report = Report::own()) report->add(row, {.seconds = seconds});
        });
    return code;
}

/// `begin()`, the initialisation of a persistent operation of the library's. Each of its starts is timed and counted as
/// a call, as `decision` says once it has `described` it.
template <class Begin, class Describe>
int timed_starts(MPI_Comm comm, Decision decision, const MPI_Request* request, const Begin& begin,
                 const Describe& describe)
{
    const int code = begin();
    if (code != MPI_SUCCESS) return code;
    describe(decision);
    if (type_name(decision.type).empty()) decision.type = MPI_DATATYPE_NULL;  // may be freed
    Report::Row* row = nullptr;
    TimedRequests::add(*request, [comm = reported_of(comm), decision, row](
                                     double seconds, TimedRequests::Part part) mutable {
        Report* const report = Report::own();
        if (!report) return;
        decision.times.seconds = seconds;
        if (part == TimedRequests::Part::start)
            row = &report->count(comm, decision);
        else if (row)
            report->add(*row, decision.times);
    });
    return code;
}

}  // namespace laneway
