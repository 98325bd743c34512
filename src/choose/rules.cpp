// SPDX-License-Identifier: BSD-3-Clause
#include "choose/rules.hpp"

#include <algorithm>
#include <climits>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

#include "text/text.hpp"

namespace laneway {
namespace {

/// Checks `bcast nodes=4 bytes=..63`, of which a profile says that it decides nothing.
void check_undecided(std::string_view rest)
{
    const std::string_view target = next_outside(rest, ' ');
    collective_named(target_of(target).collective);
    const Conditions found = read_conditions(rest);
    if (found.complete || found.inferred)
        throw Misunderstood("undecided: conditions alone follow the collective");
}

// Settings are read in a program's first call, which may have little of its stack left: what composes messages is not
// compiled into its callers.

[[noreturn, gnu::noinline]] void throw_unknown(Collective collective, std::string_view name)
{
    std::string known = "native";
    for (const Algorithm& other : registry::all(collective)) known += ", " + other.name;
    throw Misunderstood("no " + std::string(names_of_collectives[collective]) + " algorithm " +
                        in_quotes(name) + "; known: " + known);
}

const Algorithm* algorithm_named(Collective collective, std::string_view name)
{
    if (!registry::knows(collective, name)) throw_unknown(collective, name);
    return registry::find(collective, name);
}

[[gnu::noinline]] void read_tunable(std::string_view text, const std::vector<Tunable>& declared,
                                    std::string_view algorithm, std::vector<std::string_view>& seen,
                                    Tunables& values)
{
    std::string_view value = text;
    const std::string_view name = trimmed(next(value, '='));
    const auto one = std::ranges::find(declared, name, &Tunable::name);
    if (one == declared.end()) {
        std::string known;
        for (const Tunable& other : declared)
            known += (known.empty() ? "; it has: " : ", ") + std::string(other.name);
        throw Misunderstood(std::string(algorithm) + " has no tunable " + in_quotes(name) + known);
    }
    once(seen, "tunable", name);
    try {
        values.set(one->name, number(trimmed(value), one->least, one->most,
                                     std::string_view(one->unit) == bytes_unit));
    } catch (const Misunderstood& why) {
        throw Misunderstood(std::string(one->name) + ": " + why.what());
    }
}

[[noreturn, gnu::noinline]] void throw_malformed(std::string_view choice)
{
    throw Misunderstood(in_quotes(choice) + " is not of the form algorithm(tunable=value)");
}

/// Reads `lane_pipeline` or `lane_pipeline(segment=32K)`.
Choice choice_of(Collective collective, std::string_view text)
{
    std::string_view inside = text;
    const std::string_view name = trimmed(next(inside, '('));
    Choice choice{algorithm_named(collective, name)};
    const std::vector<Tunable> none;
    const auto& declared = choice.algorithm ? choice.algorithm->tunables : none;
    choice.tunables = Tunables(declared);
    if (name.size() == text.size()) return choice;
    if (!text.ends_with(')') || std::ranges::count(text, '(') + std::ranges::count(text, ')') != 2)
        throw_malformed(text);
    inside.remove_suffix(1);
    std::vector<std::string_view> seen;
    while (!inside.empty()) read_tunable(next(inside, ','), declared, name, seen, choice.tunables);
    return choice;
}

}  // namespace

void Rules::add_line(std::string_view line, std::string_view origin,
                     std::shared_ptr<const Shapes> measured)
{
    std::string_view rest = trimmed(line);
    const std::string_view target = next_outside(rest, ' ');
    if (target == "undecided") return check_undecided(rest);
    collective_named(target_of(target).collective);  // the first thing to be wrong

    Conditions conditions = read_conditions(rest);
    const std::string_view choice = next_outside(rest, ' ');
    if (choice.empty())
        throw Misunderstood(
            "the rule names no algorithm; write: collective conditions use algorithm");
    const std::string_view with = next_outside(rest, ' ');
    if (!with.empty() && with != "with")
        throw Misunderstood("'with' is expected instead of " + in_quotes(with));
    if (!with.empty() && rest.empty()) throw Misunderstood("no component follows 'with'");
    Rule& rule = add(target, conditions.where, choice, rest, origin, std::move(measured), false);
    rule.inferred = std::move(conditions.inferred);
    rule.learned = std::move(conditions.learned);
}

void Rules::add_list(std::string_view list, std::string_view origin)
{
    while (!list.empty()) {
        const std::string_view entry = trimmed(next_outside(list, ','));
        if (entry.empty()) continue;
        std::string_view choice = entry;
        const std::string_view target = trimmed(next(choice, '='));
        choice = trimmed(choice);
        if (choice.empty())
            throw Misunderstood(in_quotes(entry) +
                                " is not of the form collective=algorithm, such as bcast=lane");
        add(target, {}, choice, {}, origin, {}, true);
    }
}

void Rules::learn(Scope form, Collective collective)
{
    const auto place = static_cast<std::size_t>(form);
    learns_[place][collective] = true;
    matters_[place] = true;
    reaches_[place][collective] = {{}, {}, {}};
}

void Rules::mark(Scope chosen, const Algorithm* algorithm)
{
    // A component that nobody chooses is not always the library's.
    if (algorithm || is_component(chosen)) matters_[static_cast<std::size_t>(chosen)] = true;
    if (algorithm && !algorithm->flat) decomposes_[static_cast<std::size_t>(chosen)] = true;
}

std::shared_ptr<Components> Rules::components_of(std::string_view text, bool by_hand)
{
    std::shared_ptr<Components> parts;
    while (!text.empty()) {
        std::string_view part = next_outside(text, ' ');
        const std::string_view word = part;
        const Target component = target_of(next(part, '='));
        if (!is_component(component.scope) || part.empty())
            throw Misunderstood(in_quotes(word) +
                                " names no component; write bcast@lane=chain or bcast@node=native");
        if (!parts) parts = std::make_shared<Components>();
        const Collective its = collective_named(component.collective);
        if (parts->find(component.scope, its))
            throw Misunderstood("the component in " + in_quotes(word) + " stands twice");
        Choice chosen = choice_of(its, part);
        chosen.by_hand = by_hand;
        mark(component.scope, chosen.algorithm);
        parts->set(component.scope, its, std::move(chosen));
    }
    return parts;
}

Rule& Rules::add(std::string_view target, const Where& where, std::string_view choice,
                 std::string_view components, std::string_view origin,
                 std::shared_ptr<const Shapes> measured, bool by_hand)
{
    const auto [name, scope] = target_of(target);
    if (!components.empty() && is_component(scope))
        throw Misunderstood("a component has no components of its own: 'with' is for rules of " +
                            std::string(name));
    const std::shared_ptr<Components> parts = components_of(components, by_hand);
    const Collective collective = collective_named(name);
    Choice chosen = choice_of(collective, choice);
    chosen.by_hand = by_hand;
    mark(scope, chosen.algorithm);
    auto& rules = rules_[static_cast<std::size_t>(scope)][collective];
    rules.push_back({where, std::move(chosen), parts, std::string(origin), std::move(measured)});
    if (!is_component(scope) && rules.back().choice.algorithm)
        reaches_[static_cast<std::size_t>(scope)][collective].include(rules.back());
    return rules.back();
}

void Rules::keep_whole_by(std::string_view target, std::string_view choice)
{
    const auto [name, scope] = target_of(target);
    const Collective collective = collective_named(name);
    rules_[static_cast<std::size_t>(scope)][collective].back().whole =
        choice_of(collective, choice);
}

namespace {

/// The shape nearest to `shape` among those that rules to be used elsewhere were measured on, whichever file has them.
/// It is `shape` itself where that is one of them, or like none.
Shape measured_like(const std::vector<Rule>& rules, const Shape& shape)
{
    Shapes all;
    const Shapes* before = nullptr;
    for (const Rule& rule : rules)
        if (const Shapes* const own = rule.measured.get(); own && own != std::exchange(before, own))
            all.insert(all.end(), own->begin(), own->end());
    return nearest(all, shape);
}

/// The bytes from which on another one of these rules may decide than below; ascending, from 0.
std::vector<std::int64_t> steps(const std::vector<const Rule*>& rules)
{
    std::vector<std::int64_t> found;
    if (!rules.empty()) found.push_back(0);
    for (const Rule* const rule : rules) {
        found.push_back(rule->where.bytes.least);
        if (rule->where.bytes.most < Range{}.most) found.push_back(rule->where.bytes.most + 1);
    }
    std::ranges::sort(found);
    found.erase(std::ranges::unique(found).begin(), found.end());
    return found;
}

/// The rule among these that decides from each step up to the next; null: none. Profiles may have tens of thousands.
std::vector<const Rule*> deciding(const std::vector<const Rule*>& latest_first,
                                  const std::vector<std::int64_t>& steps)
{
    const auto bytes = [&](std::size_t i) -> const Range& { return latest_first[i]->where.bytes; };
    std::vector<std::size_t> beginning(latest_first.size());
    std::iota(beginning.begin(), beginning.end(), std::size_t{0});
    std::ranges::sort(beginning, {}, [&](std::size_t i) { return bytes(i).least; });
    auto next = beginning.begin();
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> begun;
    std::vector<const Rule*> found;
    for (const std::int64_t from : steps) {
        for (; next != beginning.end() && bytes(*next).least <= from; ++next) begun.push(*next);
        while (!begun.empty() && bytes(begun.top()).most < from) begun.pop();
        found.push_back(begun.empty() ? nullptr : latest_first[begun.top()]);
    }
    return found;
}

}  // namespace

Selector::Selector(const Rules& rules, Scope scope, const Shape& shape)
{
    for (Collective collective = 0; collective < collectives; ++collective) {
        Candidates& found = candidates_[collective];
        found.offers = rules.learns(scope, collective);
        std::vector<const Rule*> latest_first;
        const auto& all = rules.all(scope, collective);
        const Shape like = measured_like(all, shape);
        for (auto rule = all.rbegin(); rule != all.rend(); ++rule) {
            if (!rule->where.fits(rule->measured ? like : shape)) continue;
            if (rule->measured && !among(*rule->measured, like)) continue;
            latest_first.push_back(&*rule);
            found.offers = found.offers || rule->choice.algorithm;
            if (!rule->where.bytes.covers({})) continue;
            found.any_bytes = &*rule;
            break;  // it hides all earlier ones
        }
        found.from = steps(latest_first);
        found.rules = deciding(latest_first, found.from);
    }
}

}  // namespace laneway
