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

Scope scope_named(std::string_view name)
{
    if (name == "node") return Scope::node;
    if (name == "lane") return Scope::lane;
    throw Misunderstood("no scope " + in_quotes(name) + "; known: node, lane");
}

void read_condition(std::string_view name, std::string_view value, Where& where)
{
    bool known = false;
    try {
        known = set_condition(name, value, where);
    } catch (const Misunderstood& why) {
        throw Misunderstood(std::string(name) + ": " +
                            (value.empty() ? "its range is missing; write bytes=4K, without blanks "
                                             "around '='"
                                           : why.what()));
    }
    if (!known)
        throw Misunderstood("no condition " + in_quotes(name) +
                            "; known: ranks, nodes, ppn, lanes, layout, bytes");
}

template <class Call>
const Algorithm<Call>* algorithm_named(std::string_view name)
{
    if (!Registry<Call>::knows(name)) {
        std::string known = "native";
        for (const auto& other : Registry<Call>::all()) known += ", " + other.name;
        throw Misunderstood("no " + std::string(Call::name) + " algorithm " + in_quotes(name) +
                            "; known: " + known);
    }
    return Registry<Call>::find(name);
}

void read_tunable(std::string_view text, const std::vector<Tunable>& declared,
                  std::string_view algorithm, std::vector<std::string_view>& seen, Tunables& values)
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

/// `lane_pipeline` or `lane_pipeline(segment=32K)`.
template <class Call>
Choice<Call> choice_of(std::string_view text)
{
    std::string_view inside = text;
    const std::string_view name = trimmed(next(inside, '('));
    Choice<Call> choice{algorithm_named<Call>(name)};
    const std::vector<Tunable> none;
    const auto& declared = choice.algorithm ? choice.algorithm->tunables : none;
    choice.tunables = Tunables(declared);
    if (name.size() == text.size()) return choice;
    if (!text.ends_with(')') || std::ranges::count(text, '(') + std::ranges::count(text, ')') != 2)
        throw Misunderstood(in_quotes(text) + " is not of the form algorithm(tunable=value)");
    inside.remove_suffix(1);
    std::vector<std::string_view> seen;
    while (!inside.empty()) read_tunable(next(inside, ','), declared, name, seen, choice.tunables);
    return choice;
}

}  // namespace

Target target_of(std::string_view text)
{
    const bool component = text.find('@') != text.npos;
    const std::string_view collective = next(text, '@');
    if (component) return {collective, scope_named(text)};
    Target target{collective};
    for_each_call([&]<class Call>(std::type_identity<Call>) {
        for (const Scope form : {Scope::nonblocking, Scope::persistent})
            if (collective == name_of({Call::name, form})) target = {Call::name, form};
    });
    return target;
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

void must_be_known(std::string_view collective, bool known)
{
    if (known) return;
    std::string names;
    for_each_call([&]<class Call>(std::type_identity<Call>) {
        names += (names.empty() ? "" : ", ") + std::string(Call::name);
    });
    throw Misunderstood("no collective " + in_quotes(collective) + "; known: " + names);
}

void Rules::add_line(std::string_view line, std::string_view origin,
                     std::shared_ptr<const Shapes> measured)
{
    std::string_view rest = trimmed(line);
    const std::string_view target = next_outside(rest, ' ');
    with_collective(target_of(target).collective, [](auto) {});

    Where where;
    std::vector<std::string_view> seen;
    std::string_view word = next_outside(rest, ' ');
    for (; !word.empty() && word != "use"; word = next_outside(rest, ' ')) {
        std::string_view value = word;
        const std::string_view name = next(value, '=');
        once(seen, "condition", name);
        read_condition(name, value, where);
    }
    const std::string_view choice = next_outside(rest, ' ');
    if (choice.empty())
        throw Misunderstood(
            "the rule names no algorithm; write: collective conditions use algorithm");
    const std::string_view with = next_outside(rest, ' ');
    if (!with.empty() && with != "with")
        throw Misunderstood("'with' is expected instead of " + in_quotes(with));
    if (!with.empty() && rest.empty()) throw Misunderstood("no component follows 'with'");
    add(target, where, choice, rest, origin, std::move(measured), false);
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

void Rules::add(std::string_view target, const Where& where, std::string_view choice,
                std::string_view components, std::string_view origin,
                std::shared_ptr<const Shapes> measured, bool by_hand)
{
    const auto [collective, scope] = target_of(target);
    if (!components.empty() && is_component(scope))
        throw Misunderstood("a component has no components of its own: 'with' is for rules of " +
                            std::string(collective));
    const auto mark = [&](Scope chosen, const auto* algorithm) {
        // A component that nobody chooses is not always the library's.
        if (algorithm || is_component(chosen)) chooses_[static_cast<std::size_t>(chosen)] = true;
        if (algorithm && !algorithm->flat) decomposes_[static_cast<std::size_t>(chosen)] = true;
    };

    std::shared_ptr<Components> parts;
    while (!components.empty()) {
        std::string_view part = next_outside(components, ' ');
        const std::string_view word = part;
        const Target component = target_of(next(part, '='));
        if (!is_component(component.scope) || part.empty())
            throw Misunderstood(in_quotes(word) +
                                " names no component; write bcast@lane=chain or bcast@node=native");
        if (!parts) parts = std::make_shared<Components>();
        with_collective(component.collective, [&]<class Call>(std::type_identity<Call>) {
            if (parts->find<Call>(component.scope))
                throw Misunderstood("the component in " + in_quotes(word) + " stands twice");
            auto chosen = choice_of<Call>(part);
            chosen.by_hand = by_hand;
            mark(component.scope, chosen.algorithm);
            parts->set<Call>(component.scope, std::move(chosen));
        });
    }
    with_collective(collective, [&]<class Call>(std::type_identity<Call>) {
        auto chosen = choice_of<Call>(choice);
        chosen.by_hand = by_hand;
        mark(scope, chosen.algorithm);
        auto& rules = std::get<RulesOf<Call>>(rules_[static_cast<std::size_t>(scope)]);
        rules.push_back({where, std::move(chosen), parts, std::string(origin), measured});
        if (!is_component(scope) && rules.back().choice.algorithm)
            std::get<Reach<Call>>(reaches_[static_cast<std::size_t>(scope)]).include(rules.back());
    });
}

void Rules::keep_whole_by(std::string_view target, std::string_view choice)
{
    const auto [collective, scope] = target_of(target);
    with_collective(collective, [&]<class Call>(std::type_identity<Call>) {
        std::get<RulesOf<Call>>(rules_[static_cast<std::size_t>(scope)]).back().whole =
            choice_of<Call>(choice);
    });
}

namespace {

/// The shape among those that rules to be used elsewhere were measured on, whichever file has them, that is
/// nearest to `shape`; itself where it is one of them, or like none.
template <class Call>
Shape measured_like(const std::vector<Rule<Call>>& rules, const Shape& shape)
{
    Shapes all;
    const Shapes* before = nullptr;
    for (const Rule<Call>& rule : rules)
        if (const Shapes* const own = rule.measured.get(); own && own != std::exchange(before, own))
            all.insert(all.end(), own->begin(), own->end());
    return nearest(all, shape);
}

/// From which bytes on another one of these rules may decide than below; ascending, from 0.
template <class Call>
std::vector<std::int64_t> steps(const std::vector<const Rule<Call>*>& rules)
{
    std::vector<std::int64_t> found;
    if (!rules.empty()) found.push_back(0);
    for (const Rule<Call>* const rule : rules) {
        found.push_back(rule->where.bytes.least);
        if (rule->where.bytes.most < Range{}.most) found.push_back(rule->where.bytes.most + 1);
    }
    std::ranges::sort(found);
    found.erase(std::ranges::unique(found).begin(), found.end());
    return found;
}

/// Which of these rules decides from each step up to the next; null: none. Profiles may have tens of thousands.
template <class Call>
std::vector<const Rule<Call>*> deciding(const std::vector<const Rule<Call>*>& latest_first,
                                        const std::vector<std::int64_t>& steps)
{
    const auto bytes = [&](std::size_t i) -> const Range& { return latest_first[i]->where.bytes; };
    std::vector<std::size_t> beginning(latest_first.size());
    std::iota(beginning.begin(), beginning.end(), std::size_t{0});
    std::ranges::sort(beginning, {}, [&](std::size_t i) { return bytes(i).least; });
    auto next = beginning.begin();
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> begun;
    std::vector<const Rule<Call>*> found;
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
    for_each_call([&]<class Call>(std::type_identity<Call>) {
        auto& found = std::get<Candidates<Call>>(candidates_);
        std::vector<const Rule<Call>*> latest_first;
        const auto& all = rules.all<Call>(scope);
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
    });
}

}  // namespace laneway
