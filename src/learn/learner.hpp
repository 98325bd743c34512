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
/// times that are brought together alone. These are equal on all, so decisions are. The calls between two decisions are
/// a batch: turns of a race, or calls that are only watched.
///
/// A call may begin before another one has ended, and a program pays for all of them together when it waits. So a turn
/// has as many calls as are under way at a time, one after the other.
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

    /// A call: which way it goes, and what its time belongs to.
    struct Call {
        int way;
        bool in_race;
        std::int64_t batch;  ///< -1: none
        std::size_t turn;    ///< its number in the batch
    };
    /// The call that begins. Its time may follow any time later.
    Call begin();
    /// The calling process's time of a call. One whose batch is over counts no more.
    void took(const Call& call, double seconds);

    /// Whether all calls of the batch have begun. Its times are to be brought together then, in the next call in which
    /// all processes meet.
    bool is_due() const { return begun_ >= (is_racing() ? calls_of_race() : window_); }
    /// Whether this process has all times that are wanted for that. The times of calls under way may be late.
    bool is_whole() const { return is_racing() ? ended_ == calls_of_race() : !times_.empty(); }
    /// The process's own times, a call: own_size() of them.
    std::size_t own_size() const { return is_racing() ? plan_.size() : 1; }
    std::vector<double> own() const;
    /// The most calls that this process has had under way at a time.
    int most_under_way() const { return most_under_way_; }
    /// Takes times that have been brought together, and how many calls are under way at a time.
    void take(std::span<const double> all, int under_way, const Budget& budget);

    /// The way that serves while nothing is compared.
    int leader() const { return race_.leader(); }
    const Race& race() const { return race_; }
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
    bool is_racing() const { return !plan_.empty(); }
    std::int64_t calls_of_race() const { return std::ssize(plan_) * width_; }
    void begin_batch();
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

    std::vector<int> plan_;  ///< the ways of the batch's turns; empty: its calls are watched
    std::int64_t window_;    ///< calls to be watched
    int width_ = 1;          ///< calls of a turn
    std::int64_t batch_ = 0;
    std::int64_t begun_ = 0, ended_ = 0;  ///< calls of the batch
    std::vector<double> times_;  ///< the process's own: sums of those turns, or of the latest calls
    int under_way_ = 0, most_under_way_ = 0;  ///< calls of whichever batch

    double usual_ = 0;          ///< the time of a call since the race has ended; 0: not known yet
    std::int64_t since_ = 0;    ///< calls since then
    std::int64_t check_after_;  ///< such calls, another race begins
    double race_time_ = 0;      ///< a call's time before the latest turns of the race
    double time_ = 0;           ///< seconds in calls of the class
    double cost_ = 0;  ///< seconds that learning has cost, turns that gained time counted in
    std::int64_t events_ = 0;  ///< times that were taken
};

}  // namespace laneway
