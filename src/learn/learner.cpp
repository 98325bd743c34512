// SPDX-License-Identifier: BSD-3-Clause
#include "learn/learner.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace laneway {
namespace {

/// A class is worth learning that occurs so often.
constexpr std::int64_t often = 8;
/// Calls whose median is one time.
constexpr std::int64_t least_window = 32, most_window = 1 << 20;
/// A turn has no more calls.
constexpr int most_width = 64;
/// Reductions of calls that are only watched take no more of their time than that; those of a race.
constexpr double part_of_watching = 0.004, part_of_race = 0.04;
/// Times that differ by more are those of another machine.
constexpr double drift = 1.4;
/// A check comes after so many calls: of an earlier job's decision, and of one of this job.
constexpr std::int64_t check_of_known = 200, check_of_learnt = 5000;
/// A way that nobody knows is taken to take so many times as long as the leader.
constexpr double unknown = 1.25;

std::int64_t first_check(bool known) { return known ? check_of_known : check_of_learnt; }

}  // namespace

double Budget::of_class(double time) const
{
    return std::max(seconds, part * total) * std::min(1.0, time / std::max(total, time));
}

Learner::Learner(const Start& start)
    : start_(start),
      random_(start.seed),
      race_(start.ways, start.standard),
      open_(!start.known),
      window_(start.known ? least_window : often),
      check_after_(first_check(start.known))
{
}

std::vector<double> Learner::kept() const
{
    std::vector<double> all{
        static_cast<double>(events_),
        static_cast<double>(open_),
        static_cast<double>(has_forgotten_),
        static_cast<double>(since_),
        static_cast<double>(check_after_),
        usual_,
        static_cast<double>(open_ ? race_.standard() : leader()),
        time_,
        cost_,
    };
    if (open_)
        for (const Race::Round& round : race_.all())
            all.insert(all.end(), round.begin(), round.end());
    return all;
}

Learner::Learner(const Start& start, std::span<const double> kept) : Learner(start)
{
    constexpr std::size_t facts = 9;
    events_ = static_cast<std::int64_t>(kept[0]);
    open_ = kept[1] != 0;
    has_forgotten_ = kept[2] != 0;
    since_ = static_cast<std::int64_t>(kept[3]);
    check_after_ = static_cast<std::int64_t>(kept[4]);
    usual_ = kept[5];
    race_ = Race(start.ways, static_cast<int>(kept[6]));
    time_ = kept[7];
    cost_ = kept[8];
    for (std::size_t at = facts; at < kept.size(); at += Race::most_ways) {
        Race::Round round{};
        std::copy_n(kept.begin() + static_cast<std::ptrdiff_t>(at), round.size(), round.begin());
        race_.add(round);
    }
    // Another order of turns than those of whoever has kept it.
    random_ = Random(start.seed + static_cast<std::uint64_t>(events_));
}

Learner::Call Learner::begin()
{
    most_under_way_ = std::max(most_under_way_, ++under_way_);
    const std::int64_t call = begun_++;
    if (!is_racing()) return {leader(), false, batch_, 0};
    if (call >= calls_of_race()) return {leader(), false, -1, 0};
    const auto turn = static_cast<std::size_t>(call / width_);
    return {plan_[turn], true, batch_, turn};
}

void Learner::took(const Call& call, double seconds)
{
    --under_way_;
    if (call.batch != batch_) return;
    const std::int64_t before = ended_++;
    if (is_racing())
        times_[call.turn] += seconds;
    else if (before < least_window)
        times_.push_back(seconds);
    else
        times_[static_cast<std::size_t>(before % least_window)] = seconds;
}

std::vector<double> Learner::own() const
{
    std::vector<double> times = times_;
    if (!is_racing()) return {median(times)};
    for (double& time : times) time /= width_;
    return times;
}

void Learner::take(std::span<const double> all, int under_way, const Budget& budget)
{
    ++events_;
    const std::int64_t calls = begun_;
    const bool raced = is_racing();
    if (raced) take_turns(all);
    width_ = std::clamp(under_way, 1, most_width);
    most_under_way_ = under_way_;
    if (!raced) {
        time_ += static_cast<double>(calls) * all.front();
        return watch(all.front(), budget);
    }
    cost_ += budget.reduction;
    if (race_.has_ended())
        end_race();
    else
        go_on(race_.time_of(leader()), budget);
}

void Learner::take_turns(std::span<const double> all)
{
    const auto leading = static_cast<std::size_t>(leader());
    std::vector<Race::Round> rounds(1, Race::Round{});
    for (std::size_t i = 0; i < plan_.size(); ++i) {
        const auto way = static_cast<std::size_t>(plan_[i]);
        if (rounds.back()[way] > 0) rounds.emplace_back();
        rounds.back()[way] = all[i];
    }
    for (const Race::Round& round : rounds) {
        for (const double time : round) {
            time_ += time * width_;
            // One slow turn of the leader is no such gain of the others.
            if (time > 0) cost_ += std::max(time - round[leading], -race_time_) * width_;
        }
        race_.add(round);
    }
}

void Learner::end_race()
{
    open_ = false;
    usual_ = 0;
    since_ = 0;
    watch_for(least_window);
}

/// Goes on from `now`, the time of calls that were watched.
void Learner::watch(double now, const Budget& budget)
{
    since_ += begun_;
    if (open_) return go_on(now, budget);
    if (usual_ == 0) usual_ = now;
    const bool has_drifted = now > drift * usual_ || now * drift < usual_;
    if (!has_drifted && since_ < check_after_) {
        return watch_for(budget.reduction / (part_of_watching * now));
    }
    if (has_drifted) {
        has_forgotten_ = true;
        check_after_ = check_of_learnt;
    } else {
        check_after_ = std::max(2 * check_after_, check_of_learnt);
    }
    race_ = Race(start_.ways, leader());
    open_ = true;
    go_on(now, budget);
}

/// Begins the next turns of the race, or waits for them to be within the budget. `now`: the time of a call. Where the
/// budget has not room for all ways, those take part that are known to be fast.
void Learner::go_on(double now, const Budget& budget)
{
    race_time_ = now;
    const int rounds = rounds_of_batch(now, budget);
    double room = budget.of_class(time_) - std::max(0.0, cost_) - budget.reduction;
    std::vector<int> ways;
    for (const auto& [cost, way] : costs(now)) {
        if (room < rounds * cost) {
            if (!ways.empty()) break;
            return watch_for((rounds * cost - room) / (Budget::part * now));
        }
        room -= rounds * cost;
        ways.push_back(way);
    }
    ways.push_back(leader());
    plan(rounds, ways);
}

/// The ways that run but the leader, each with what a turn of it costs more; the cheapest first.
std::vector<std::pair<double, int>> Learner::costs(double now) const
{
    std::vector<std::pair<double, int>> found;
    for (const int way : race_.running()) {
        const double known = race_.time_of(way);
        if (way != leader())
            found.emplace_back(std::max(0.0, (known > 0 ? known : unknown * now) - now) * width_,
                               way);
    }
    std::ranges::sort(found);
    return found;
}

/// At first few rounds, for some ways may be hopeless; but as many as are worth the reduction.
int Learner::rounds_of_batch(double now, const Budget& budget) const
{
    constexpr double most = 10;
    const auto few = std::clamp<double>(race_.rounds() - 1, 1, most);
    const auto calls = static_cast<double>(race_.running().size()) * width_;
    const double worth = budget.reduction / (part_of_race * calls * now);
    // The first round warms up, and nothing is known then.
    return static_cast<int>(std::max(few, std::min(worth, race_.rounds() == 0 ? 2 : most)));
}

void Learner::begin_batch()
{
    ++batch_;
    begun_ = ended_ = 0;
    plan_.clear();
    times_.clear();
}

void Learner::plan(int rounds, std::vector<int> ways)
{
    begin_batch();
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t left = ways.size(); left > 1; --left)
            std::swap(ways[left - 1], ways[random_.below(static_cast<std::uint32_t>(left))]);
        plan_.insert(plan_.end(), ways.begin(), ways.end());
    }
    times_.resize(plan_.size());
}

void Learner::watch_for(double calls)
{
    begin_batch();
    window_ = static_cast<std::int64_t>(std::clamp<double>(
        std::ceil(calls), static_cast<double>(least_window), static_cast<double>(most_window)));
}

std::int64_t Learner::turns() const
{
    std::int64_t found = 0;
    for (const Race::Round& round : race_.all())
        found += std::ranges::count_if(round, [](double time) { return time > 0; });
    return found;
}

}  // namespace laneway
