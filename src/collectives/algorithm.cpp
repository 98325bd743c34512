// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace laneway {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Tunable& tunable)
{
    return {{"name", tunable.name},   {"unit", tunable.unit}, {"preset", tunable.preset},
            {"least", tunable.least}, {"most", tunable.most}, {"about", tunable.about}};
}

template <class Call>
Json json_of(std::string_view name, const Algorithm<Call>& algorithm)
{
    Json tunables = Json::array();
    for (const Tunable& tunable : algorithm.tunables) tunables.push_back(json_of(tunable));
    return {{"collective", Call::name},
            {"algorithm", name},
            {"idea", algorithm.about.idea},
            {"rounds", algorithm.about.rounds},
            {"volume", algorithm.about.volume},
            {"memory", algorithm.about.memory},
            {"requires", algorithm.needs.text()},
            {"otherwise", algorithm.otherwise ? algorithm.otherwise : "native"},
            {"source", algorithm.about.source},
            {"flat", algorithm.flat},
            {"tunables", std::move(tunables)}};
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

std::string registry_json()
{
    Json entries = Json::array();
    for_each_call([&]<class Call>(std::type_identity<Call>) {
        const Algorithm<Call> native{
            .run = typename Run<Call>::Plain(nullptr),
            .flat = true,
            .about = {"the MPI library's own algorithm", "the library's", "the library's",
                      "the library's", "the MPI library"}};
        entries.push_back(json_of("native", native));
        for (const auto& algorithm : Registry<Call>::all())
            entries.push_back(json_of(algorithm.name, algorithm));
    });
    return entries.dump();
}

}  // namespace laneway
