// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "text/json.hpp"

namespace laneway {
namespace {

Json json_of(const Tunable& tunable)
{
    return JsonObject()
        .add("name", tunable.name)
        .add("unit", tunable.unit)
        .add("preset", tunable.preset)
        .add("least", tunable.least)
        .add("most", tunable.most)
        .add("about", tunable.about)
        .json();
}

Json json_of(Collective collective, const Algorithm& algorithm)
{
    std::vector<Json> tunables;
    for (const Tunable& tunable : algorithm.tunables) tunables.push_back(json_of(tunable));
    return JsonObject()
        .add("collective", names_of_collectives[collective])
        .add("algorithm", algorithm.name)
        .add("idea", algorithm.about.idea)
        .add("rounds", algorithm.about.rounds)
        .add("volume", algorithm.about.volume)
        .add("memory", algorithm.about.memory)
        .add("requires", algorithm.needs.text())
        .add("otherwise", algorithm.otherwise ? algorithm.otherwise : "native")
        .add("source", algorithm.about.source)
        .add("flat", algorithm.flat)
        .add("tunables", tunables)
        .json();
}

/// The algorithms of each collective. Others come by this function, so that no order of initialisation matters.
std::array<std::vector<Algorithm>, collectives>& lists()
{
    static std::array<std::vector<Algorithm>, collectives> of_each;
    return of_each;
}

}  // namespace

Requires Requires::unmet(const Facts& facts, const Layout& on) const
{
    return {.commutative = commutative && facts.order_matters,
            .rank_order = rank_order && facts.order_matters && !on.consecutive(),
            .regular = (regular || divisible) && !on.regular(),
            .consecutive = consecutive && !on.consecutive(),
            .divisible = divisible && on.regular() && facts.count % on.largest() != 0,
            .shares = shares && facts.count < std::max(2, on.lanes()),
            .elementwise = elementwise && facts.whole};
}

std::string Requires::text() const
{
    std::string result;
    const auto add = [&](bool required, const char* words) {
        if (required) result += (result.empty() ? "" : "; ") + std::string(words);
    };
    add(commutative, "a commutative operator");
    add(rank_order, "a commutative operator, or ranks that ascend from node to node");
    add(regular, "as many processes on every node");
    add(consecutive, "ranks that ascend from node to node");
    add(divisible, "a count that is a multiple of the processes of a node");
    add(shares, "several elements, one a lane at least");
    add(elementwise, "an operator that may be called with parts of the message");
    return result.empty() ? "nothing" : result;
}

std::string_view stem(std::string_view path)
{
    if (const auto slash = path.rfind('/'); slash != path.npos) path.remove_prefix(slash + 1);
    return path.substr(0, path.rfind('.'));
}

namespace registry {

const std::vector<Algorithm>& all(Collective collective) { return lists()[collective]; }

const Algorithm* find(Collective collective, std::string_view name)
{
    const auto& algorithms = all(collective);
    const auto found = std::ranges::find(algorithms, name, &Algorithm::name);
    return found == algorithms.end() ? nullptr : &*found;
}

bool knows(Collective collective, std::string_view name)
{
    return name == "native" || find(collective, name);
}

const Algorithm* eligible(const Algorithm* algorithm, const Facts& facts, const Layout& on)
{
    while (algorithm && !algorithm->needs.hold(facts, on))
        algorithm = algorithm->otherwise ? find(algorithm->run.collective(), algorithm->otherwise)
                                         : nullptr;
    return algorithm;
}

void add(Algorithm algorithm)
{
    algorithm.presets = Tunables(algorithm.tunables);
    auto& algorithms = lists()[algorithm.run.collective()];
    const auto place = std::ranges::lower_bound(algorithms, algorithm.name, {}, &Algorithm::name);
    algorithms.insert(place, std::move(algorithm));
}

std::string json()
{
    const Algorithm native{.flat = true,
                           .about = {"the MPI library's own algorithm", "the library's",
                                     "the library's", "the library's", "the MPI library"},
                           .name = "native"};
    std::vector<Json> entries;
    for (Collective collective = 0; collective < collectives; ++collective) {
        entries.push_back(json_of(collective, native));
        for (const Algorithm& algorithm : all(collective))
            entries.push_back(json_of(collective, algorithm));
    }
    return in_json(entries);
}

}  // namespace registry

}  // namespace laneway
