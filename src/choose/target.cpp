// SPDX-License-Identifier: BSD-3-Clause
#include "choose/target.hpp"

#include <algorithm>
#include <utility>

#include "text/text.hpp"

namespace laneway {
namespace {

Scope scope_named(std::string_view name)
{
    if (name == "node") return Scope::node;
    if (name == "lane") return Scope::lane;
    throw Misunderstood("no scope " + in_quotes(name) + "; known: node, lane");
}

/// Collectives that are served as another one, by the application's names for them.
constexpr std::pair<std::string_view, std::string_view> others[] = {
    {"alltoallw", Alltoallv::name}, {"neighbor_alltoallw", NeighborAlltoallv::name}};

std::string_view served_as(std::string_view name)
{
    const auto* const found =
        std::ranges::find(others, name, &std::pair<std::string_view, std::string_view>::first);
    return found == std::end(others) ? name : found->second;
}

/// Whether a text is the name of a nonblocking or persistent form, as name_of() writes it.
bool is_name_of(std::string_view text, std::string_view collective, Scope form)
{
    constexpr std::string_view end = "_init";
    if (form == Scope::nonblocking) return text.starts_with('i') && text.substr(1) == collective;
    return text.ends_with(end) && text.substr(0, text.size() - end.size()) == collective;
}

}  // namespace

Target target_of(std::string_view text)
{
    const bool component = text.find('@') != text.npos;
    const std::string_view collective = next(text, '@');
    if (component) return {collective, scope_named(text)};
    for (const Scope form : {Scope::nonblocking, Scope::persistent}) {
        for (const std::string_view name : names_of_collectives)
            if (is_name_of(collective, name, form)) return {name, form};
        for (const auto& [other, name] : others)
            if (is_name_of(collective, other, form)) return {name, form};
    }
    return {served_as(collective)};
}

std::string name_of(const Target& target)
{
    std::string collective(target.collective);
    if (target.scope == Scope::nonblocking) return "i" + collective;
    if (target.scope == Scope::persistent) return collective + "_init";
    if (target.scope == Scope::node) return collective + "@node";
    if (target.scope == Scope::lane) return collective + "@lane";
    return collective;
}

Collective collective_named(std::string_view name)
{
    name = served_as(name);
    const auto found = std::ranges::find(names_of_collectives, name);
    if (found != names_of_collectives.end())
        return static_cast<Collective>(found - names_of_collectives.begin());
    std::string known;
    for (const char* const other : names_of_collectives)
        known += (known.empty() ? "" : ", ") + std::string(other);
    throw Misunderstood("no collective " + in_quotes(name) + "; known: " + known);
}

}  // namespace laneway
