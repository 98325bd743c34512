// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"

#include <algorithm>

#include "text/text.hpp"

namespace laneway {
namespace {

/// As a JSON array.
std::string text_of(const std::vector<Tunable>& tunables)
{
    std::string result;
    for (const Tunable& one : tunables) {
        result += result.empty() ? "[" : ", ";
        result += "{\"name\": " + in_json(one.name) + ", \"unit\": " + in_json(one.unit) +
                  ", \"preset\": " + std::to_string(one.preset) +
                  ", \"least\": " + std::to_string(one.least) +
                  ", \"most\": " + std::to_string(one.most) + ", \"about\": " + in_json(one.about) +
                  "}";
    }
    return result.empty() ? "[]" : result + "]";
}

template <class Call>
std::string entry(std::string_view name, const About& about, const Requires& needs,
                  const char* otherwise, bool flat, const std::vector<Tunable>& tunables)
{
    std::string result = "{";
    const auto field = [&](const char* key, std::string_view value) {
        if (result.size() > 1) result += ", ";
        result += in_json(key) + ": " + in_json(value);
    };
    field("collective", Call::name);
    field("algorithm", name);
    field("idea", about.idea);
    field("rounds", about.rounds);
    field("volume", about.volume);
    field("memory", about.memory);
    field("requires", needs.text());
    field("otherwise", otherwise ? otherwise : "native");
    field("source", about.source);
    result += ", \"flat\": " + std::string(flat ? "true" : "false");
    return result + ", \"tunables\": " + text_of(tunables) + "}";
}

template <class Call>
void append(std::vector<std::string>& entries)
{
    const About library{"the MPI library's own algorithm", "the library's", "the library's",
                        "the library's", "the MPI library"};
    std::vector<std::pair<std::string_view, std::string>> named;
    named.emplace_back("native", entry<Call>("native", library, {}, nullptr, true, {}));
    for (const auto& algorithm : Registry<Call>::all())
        named.emplace_back(algorithm.name,
                           entry<Call>(algorithm.name, algorithm.about, algorithm.needs,
                                       algorithm.otherwise, algorithm.flat, algorithm.tunables));
    std::ranges::sort(named);
    for (auto& [name, text] : named) entries.push_back(std::move(text));
}

}  // namespace

Requires Requires::unmet(const Facts& facts, const Layout& on) const
{
    return {.commutative = commutative && facts.order_matters,
            .rank_order = rank_order && facts.order_matters && !on.consecutive(),
            .regular = (regular || divisible) && !on.regular(),
            .consecutive = consecutive && !on.consecutive(),
            .divisible = divisible && on.regular() && facts.count % on.largest() != 0,
            .shares = shares && facts.count < std::max(2, on.lanes())};
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
    return result.empty() ? "nothing" : result;
}

std::string_view stem(std::string_view path)
{
    if (const auto slash = path.rfind('/'); slash != path.npos) path.remove_prefix(slash + 1);
    return path.substr(0, path.rfind('.'));
}

std::string registry_json()
{
    std::vector<std::string> entries;
    for_each_call([&]<class Call>(std::type_identity<Call>) { append<Call>(entries); });
    std::string result;
    for (const auto& text : entries) result += (result.empty() ? "[" : ",\n ") + text;
    return result + "]";
}

}  // namespace laneway
