// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "learn/race.hpp"
#include "text/random.hpp"

namespace laneway {

/// The bound on the cost of learning: so much of the time in collectives, or so many seconds where these are more. Each
/// class has a share of it, as of that time.
struct Budget {
    /// @name Means over the processes, in seconds
    /// @{
    double total = 0;      ///< spent in collectives so far
    double reduction = 0;  ///< the latest reduction of times
    /// @}

    static constexpr double part = 0.02, seconds = 1;
    double of_class(double time) const;
};

/// Learns how calls of one class are served best: which way the next call goes, and what follows from the times.
///
/// All processes of a communicator have one each, and ask it alike. Each gives it its own times; decisions follow from
/// times that are brought together alone. These are equal on all, so decisions are. Between two decisions times are
/// kept: of the turns of a race, or of calls that are only watched.
class Learner {
public:
    struct Start {
        int ways;
        int standard;        ///< the way that would serve anyway
        std::uint64_t seed;  ///< it draws the order of turns
        bool known;          ///< an earlier job has learnt that the standard is best
    };
    explicit Learner(const Start& start);
    /// Goes on from what another one has learnt that had the same start: its kept().
    Learner(const Start& start, std::span<const double> kept);

    /// The way of the call that begins. Its time must follow.
    int turn();
    /// The calling process's time of that call.
    void took(double seconds);

    /// Whether the times are to be brought together, in the next call in which all processes meet.
    bool is_due() const { return !plan_.empty() ? next_ == plan_.size() : watched_ >= window_; }
    /// The process's own times for that: own_size() of them.
    std::size_t own_size() const { return plan_.empty() ? 1 : plan_.size(); }
    std::vector<double> own() const;
    /// Takes these times, brought together.
    void take(std::span<const double> all, const Budget& budget);

    /// The way that serves while nothing is compared.
    int leader() const { return race_.leader(); }
    const Race& race() const { return race_; }
    /// Whether the call of the latest turn() was one of a race.
    bool was_in_race() const { return in_race_; }
    /// Whether a race is under way or to come.
    bool is_open() const { return open_; }
    /// Whether this learner itself has found which way is best.
    bool is_decided() const { return !open_ && race_.rounds() > 0; }
    /// Whether something was learnt, by an earlier job at least, that no longer holds.
    bool has_forgotten() const { return has_forgotten_ && !is_decided(); }
    /// Times that the race has taken.
    std::int64_t turns() const;

    /// Numbers from which another learner goes on: of a race that has ended, the leader alone. Those that know more have
    /// a greater first one.
    std::vector<double> kept() const;

private:
    void take_turns(std::span<const double> all);
    void watch(double now, const Budget& budget);
    void go_on(double now, const Budget& budget);
    void end_race();
    std::vector<std::pair<double, int>> costs(double now) const;
    int rounds_of_batch(double now, const Budget& budget) const;
    void plan(int rounds, std::vector<int> ways);
    void watch_for(double calls);

    Start start_;
    Random random_;
    Race race_;
    bool open_;
    bool has_forgotten_ = false;
    bool in_race_ = false;

    std::vector<int> plan_;  ///< the ways of a race's next turns; empty: calls are watched
    std::size_t next_ = 0;
    std::vector<double> times_;  ///< the process's own: of those turns, or of the latest calls
    std::int64_t window_;        ///< calls to be watched
    std::int64_t watched_ = 0;

    double usual_ = 0;          ///< the time of a call since the race has ended; 0: not known yet
    std::int64_t since_ = 0;    ///< calls since then
    std::int64_t check_after_;  ///< such calls, another race begins
    double race_time_ = 0;      ///< a call's time before the latest turns of the race
    double time_ = 0;           ///< seconds in calls of the class
    double cost_ = 0;  ///< seconds that learning has cost, turns that gained time counted in
    std::int64_t events_ = 0;  ///< times that were taken
};

}  // namespace laneway
