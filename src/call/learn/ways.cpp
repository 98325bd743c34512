// SPDX-License-Identifier: BSD-3-Clause
#include "call/learn/ways.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "collectives/algorithm.hpp"
#include "learn/race.hpp"
#include "text/text.hpp"

namespace laneway {
namespace {

/// Bytes of a message, or of a block, from which on bandwidth counts more than latency.
constexpr std::int64_t long_from = 4096;

/// Algorithms that are usually good, for short and for long messages. Those by nodes and lanes are for several nodes of
/// which one has several processes. Elsewhere flat ones are good.
struct Usual {
    std::string_view collective, short_by_lanes, long_by_lanes, short_flat, long_flat;
};

constexpr Usual usual[] = {
    {"bcast", "hierarchical lane_regular binomial", "lane_segmented lane_pipeline hierarchical",
     "binomial knomial", "circulant scatter_ring chain"},
    {"scatter", "hierarchical lane binomial", "lane lane_segmented linear", "binomial linear",
     "linear linear_sync binomial"},
    {"gather", "hierarchical lane binomial", "lane lane_segmented linear", "binomial linear",
     "linear linear_sync binomial"},
    {"allgather", "hierarchical lane bruck", "lane_segmented lane ring", "bruck recursive_doubling",
     "ring circulant neighbor_exchange"},
    {"alltoall", "hierarchical lane bruck", "lane_segmented lane pairwise", "bruck linear",
     "pairwise linear spread"},
    {"reduce", "hierarchical lane binomial", "lane_segmented lane lane_pipeline",
     "binomial knomial", "reduce_scatter_gather circulant chain"},
    {"allreduce", "hierarchical lane recursive_doubling", "lane_segmented lane rabenseifner",
     "recursive_doubling recursive_multiplying", "rabenseifner ring_segmented circulant"},
    {"reduce_scatter_block", "hierarchical lane recursive_halving", "lane_segmented lane pairwise",
     "recursive_halving recursive_doubling", "pairwise circulant ring"},
    {"scan", "hierarchical lane recursive_doubling", "lane_segmented lane hierarchical",
     "recursive_doubling binary", "chain binary"},
    {"exscan", "hierarchical lane recursive_doubling", "lane_segmented lane hierarchical",
     "recursive_doubling binary", "chain binary"},
    {"barrier", "hierarchical dissemination lane", "hierarchical dissemination lane",
     "dissemination recursive_doubling tree", "dissemination recursive_doubling tree"},
    {"allgatherv", "hierarchical lane ring", "lane_segmented lane circulant", "ring circulant",
     "circulant ring"},
    {"reduce_scatter", "hierarchical lane recursive_doubling", "lane_segmented lane circulant",
     "recursive_doubling butterfly", "circulant ring butterfly"},
    // Nobody knows whether these are short or long.
    {"scatterv", "lane hierarchical linear", "lane hierarchical linear", "linear binomial",
     "linear binomial"},
    {"gatherv", "lane hierarchical linear", "lane hierarchical linear", "linear binomial",
     "linear binomial"},
    {"alltoallv", "node_aware lane pairwise", "node_aware lane pairwise", "pairwise spread sparse",
     "pairwise spread sparse"},
    {"neighbor_alltoallv", "node_aware lane sparse", "node_aware lane sparse", "sparse", "sparse"},
};

/// Rules that choose these algorithms, in that order.
const Rules& usual_rules(std::string_view Usual::* kind)
{
    static const auto all = [] {
        std::vector<std::pair<std::string_view Usual::*, Rules>> made;
        for (const auto each : {&Usual::short_by_lanes, &Usual::long_by_lanes, &Usual::short_flat,
                                &Usual::long_flat}) {
            Rules rules;
            for (const Usual& row : usual) {
                std::string_view names = row.*each;
                while (!names.empty())
                    rules.add_line(
                        std::string(row.collective) + " use " + std::string(next(names, ' ')),
                        "learning");
            }
            made.emplace_back(each, std::move(rules));
        }
        return made;
    }();
    return std::ranges::find(all, kind, [](const auto& each) { return each.first; })->second;
}

/// The logarithm to base 2 of the factor by which `number` is outside.
double distance(const Range& range, std::int64_t number)
{
    const auto log = [](std::int64_t of) {
        return std::log2(static_cast<double>(std::max<std::int64_t>(of, 1)));
    };
    if (number < range.least) return log(range.least) - log(number);
    return number > range.most ? log(number) - log(range.most) : 0;
}

/// Bytes of -1, which few processes know, are as near to all.
double distance(const Where& where, const Shape& shape, std::int64_t bytes)
{
    return (bytes < 0 ? 0 : distance(where.bytes, bytes)) + distance(where.ranks, shape.ranks) +
           distance(where.nodes, shape.nodes) + distance(where.ppn, shape.smallest) +
           distance(where.lanes, shape.lanes);
}

bool is_same(Way one, Way other)
{
    const auto algorithm = [](Way way) { return way ? way->choice.algorithm : nullptr; };
    if (algorithm(one) != algorithm(other)) return false;
    return !algorithm(one) || (one->choice.tunables.all() == other->choice.tunables.all() &&
                               one->components == other->components);
}

}  // namespace

bool serves_itself(Way way, const Facts& facts, const Layout& on)
{
    const Algorithm* const algorithm = way ? way->choice.algorithm : nullptr;
    return !algorithm || registry::eligible(algorithm, demanded(facts, false), on) == algorithm;
}

std::vector<Way> ways_of(const Settings& settings, const Shape& shape, const Layout& on, Scope form,
                         Collective collective, const Facts& facts, Way standard)
{
    std::vector<Way> ways{nullptr};
    if (!is_same(standard, nullptr)) ways.push_back(standard);
    const std::size_t most = std::min<std::size_t>(ways.size() + 3, Race::most_ways);
    const auto add = [&](Way way) {
        const bool is_known =
            std::ranges::any_of(ways, [&](Way other) { return is_same(way, other); });
        if (ways.size() < most && !is_known && serves_itself(way, facts, on)) ways.push_back(way);
    };
    std::vector<std::pair<double, Way>> by_distance;
    const auto take = [&](Scope of) {
        for (const Rule& rule : settings.rules().all(of, collective))
            by_distance.emplace_back(distance(rule.where, shape, facts.bytes), &rule);
    };
    take(form);
    if (form != Scope::user) take(Scope::user);
    std::ranges::stable_sort(by_distance, {}, [](const auto& each) { return each.first; });
    constexpr double near = 1;
    for (const auto& [far, way] : by_distance)
        if (far <= near) add(way);
    const bool by_lanes = shape.nodes > 1 && shape.largest > 1, is_long = facts.bytes >= long_from;
    const auto kind = by_lanes ? (is_long ? &Usual::long_by_lanes : &Usual::short_by_lanes)
                               : (is_long ? &Usual::long_flat : &Usual::short_flat);
    for (const Rule& rule : usual_rules(kind).all(Scope::user, collective)) add(&rule);
    for (const auto& [far, way] : by_distance) add(way);
    return ways;
}

}  // namespace laneway
