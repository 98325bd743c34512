// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "bench/timing/statistics.hpp"

/// How contestants share the time: they take turns in blocks of repetitions.
namespace laneway::bench {

/// How long a comparison may take.
struct Budget {
    double seconds = 1.0;    ///< Shared by all contestants.
    int repetitions = 1000;  ///< The most repetitions of each contestant.
    double precision = 0;    ///< Half the median's interval over the median that will do; 0: none.
    double confidence = 0.95;   ///< The confidence of that interval.
    std::optional<int> warmup;  ///< None: as many as take a small part of the time.
};

/// The most untimed repetitions of each contestant before the first block: as many as are asked for. Otherwise there
/// may be fewer, so that all of them together take a twentieth of the time.
int most_warm_up(const Budget& budget);

/// Has one of so many contestants warm up by calling `repeat`, which returns the seconds that a repetition took,
/// alike on all ranks. The repetition before took `first` seconds. Returns the seconds of the last one.
double warm_up(const Budget& budget, std::size_t contestants, double first,
               const std::function<double()>& repeat);

/// Why there are enough repetitions.
enum class Stop { repetitions, precision, time, dropped };
const char* name(Stop stop);

/// The result of a contestant's repetitions.
struct Result {
    int repetitions;
    double median;  ///< The median of their times, in seconds.
    std::optional<Interval> interval;
    double confidence;  ///< The confidence of the interval.
    Stop stopped_by;
};

/// A participant of a comparison.
class Contestant {
public:
    /// `once`: seconds of a repetition after the warm-up. A contestant that may be dropped is dropped when it is
    /// clearly slower than the best.
    Contestant(double once, bool may_be_dropped) : once_(once), may_be_dropped_(may_be_dropped) {}
    Contestant(const Contestant&) = delete;
    Contestant& operator=(const Contestant&) = delete;
    virtual ~Contestant() = default;

    double once() const { return once_; }
    bool may_be_dropped() const { return may_be_dropped_; }

    /// Makes some repetitions, counted from `first`. Returns the seconds that the slowest rank took in each, alike on
    /// all ranks. Collective.
    virtual std::vector<double> repeat(int first, int repetitions) = 0;

    /// The last repetition is over. Collective.
    virtual void finish(const Result& /*result*/) {}

private:
    double once_;
    bool may_be_dropped_;
};

/// Has contestants take turns in blocks of repetitions, in shuffled order, until there are enough. `seed`, which
/// decides the order, is the same on all ranks; `progress` is told the share that is done. Collective.
void take_turns(const std::vector<std::unique_ptr<Contestant>>& contestants, const Budget& budget,
                unsigned seed, MPI_Comm comm, const std::function<void(double)>& progress);

}  // namespace laneway::bench
