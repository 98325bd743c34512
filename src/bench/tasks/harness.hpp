// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/job/counters.hpp"
#include "bench/operations/buffers.hpp"
#include "bench/tasks/lay_out.hpp"
#include "bench/tasks/plan.hpp"
#include "bench/tasks/session.hpp"
#include "bench/tasks/venues.hpp"
#include "bench/timing/start.hpp"
#include "blocks/crossing.hpp"

namespace laneway::bench {

/// One repetition as all ranks saw it; times in seconds, the same on all ranks.
struct Sample {
    double slowest;  ///< The largest of the ranks' times.
    double fastest;
    double mean;
    double skew;          ///< From the first rank's beginning to the last one's.
    double last;          ///< From the last rank's beginning to the last one's end.
    double planned_skew;  ///< The `skew` if every rank came when it was asked to.
    int late;             ///< Ranks that missed the start.
    double hearing;       ///< Seconds until the last rank heard of the start.
};

/// The times and the traffic that the repetitions of a candidate left on the calling rank.
struct Tally {
    double seconds = 0;         ///< The sum of the rank's times.
    Counters::Reading carried;  ///< Bytes by its node's devices; empty where they are not known.
};

/// How the calls of one case are made and timed: buffers, roots, threads, starts.
class Harness {
public:
    /// `seed` stands for a pattern of random arrivals.
    Harness(const Case& of, const Options& options, const Team& team, unsigned seed,
            Session& session);

    /// Bytes of buffers that the most demanding rank needs; memory is taken by `prepare`.
    double memory() const;

    /// Whether MPI can count the elements of all blocks.
    bool countable() const { return countable_; }

    /// The data that a call must bring from node to node. Nothing where the operation is no vector collective, and
    /// where MPI cannot count them.
    std::optional<Crossing> crossed() const;

    /// Takes and fills the memory, and makes the communicators that candidates want. Collective.
    void prepare();

    /// Frees the communicators that prepare() has made. Collective.
    void finish() { venues_->close(); }

    /// Sets the work of callers from now on, between the beginning of a nonblocking call and waiting for it; empty:
    /// none.
    void meanwhile(const std::function<void()>& work)
    {
        for (Caller& caller : callers_) caller.problem.meanwhile = work;
    }

    int roots() const;
    int root(int repetition) const;

    /// Why the MPI library does not carry out a call of the candidate, in its words; nothing: it does.
    std::optional<std::string> refusal(const Candidate& candidate);

    /// Calls once from `root` on fresh memory and returns the first element of the first rank that
    /// is not what it must be.
    struct Fault {
        int rank;
        std::int64_t element;
    };
    std::optional<Fault> verify(const Candidate& candidate, int root);

    /// The algorithm that the last call was served by.
    std::string served_by() const;

    /// Makes `repetitions` repetitions, counted from `first`; `tally` grows by the times that they took here. Where
    /// most of them began without a common start, as it had been announced too late, they are made again.
    std::vector<Sample> repeat(const Candidate& candidate, int first, int repetitions,
                               Tally& tally);

private:
    /// The problem and the buffers that one thread calls with.
    struct Caller {
        Problem problem;
        BufferPool buffers;  ///< Memory from prepare() on.
    };

    const Forced& turn_to(const Candidate& candidate);
    Counters::Reading look() const;
    int call(const Caller& caller, const char* algorithm, int root, int slot) const
    {
        return case_.operation.call(caller.problem, algorithm, root, caller.buffers.slot(slot));
    }
    int call_all(const char* algorithm, int root, int slot);
    std::vector<Sample> repeat_once(const Candidate& candidate, int first, int repetitions,
                                    Tally& tally);
    std::vector<Sample> gather(const std::vector<Start>& starts, const std::vector<double>& ends,
                               int first) const;
    std::size_t cold_share() const;
    std::size_t input_bytes(const Problem& problem) const;
    std::size_t output_bytes(const Problem& problem) const;

    const Case& case_;
    const Options& options_;
    const Team& team_;
    Session& session_;
    Starter start_;
    std::optional<OneOfIt> of_odd_peers_;  ///< Where each peer's elements have their own type.
    std::deque<Caller> callers_;           ///< One for each thread; their addresses stay.
    std::optional<Venues> venues_;         ///< Venues from prepare() on.
    int slots_ = 1;
    int next_slot_ = 1;  ///< The slot of the next call; verify() uses the first one.
    int inner_;
    bool countable_ = true;
};

}  // namespace laneway::bench
