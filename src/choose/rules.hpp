// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "choose/where.hpp"
#include "collectives/algorithm.hpp"

/// Which algorithm serves which call: rules, of profiles and of LANEWAY_ALGORITHM, as text and as
/// what they mean. docs/profiles.md describes the language.
namespace laneway {

/// Where a collective runs: on a communicator of the user's, in one of the forms that MPI has, or as a
/// component of an algorithm on the processes of a node or of a lane. Components of components are
/// native.
enum class Scope : unsigned char { user, nonblocking, persistent, node, lane, component };
inline constexpr std::size_t scopes = 6;

constexpr bool is_component(Scope scope) { return scope >= Scope::node; }

/// `bcast`, `ibcast`, `bcast_init` or `bcast@lane`.
struct Target {
    std::string_view collective;
    Scope scope = Scope::user;
};
/// Throws Misunderstood for a scope that is none.
Target target_of(std::string_view text);
/// The same as text.
std::string name_of(const Target& target);

/// Throws Misunderstood unless `known`.
void must_be_known(std::string_view collective, bool known);

/// `body(std::type_identity<Call>{})` for the collective of that name. Throws Misunderstood.
template <class Body>
void with_collective(std::string_view name, const Body& body)
{
    bool known = false;
    for_each_call([&]<class Call>(std::type_identity<Call> call) {
        if (name != Call::name) return;
        known = true;
        body(call);
    });
    must_be_known(name, known);
}

/// An algorithm, with the values of its tunables; null: native.
template <class Call>
struct Choice {
    const Algorithm<Call>* algorithm = nullptr;
    Tunables tunables = {};
    /// Whoever runs the program has chosen it, and knows its operators: LANEWAY_ALGORITHM, or a call. Not by a profile.
    bool by_hand = false;
};

/// A call's facts as they are for an algorithm that is chosen `by_hand`, or not: by hand, one may divide messages of
/// operators that commute.
constexpr Facts demanded(Facts facts, bool by_hand)
{
    facts.whole = facts.whole && (facts.order_matters || !by_hand);
    return facts;
}

/// What the components of an algorithm are served by, as one rule says.
class Components {
public:
    /// Null: the rule does not say.
    template <class Call>
    const Choice<Call>* find(Scope scope) const
    {
        if (scope != Scope::node && scope != Scope::lane) return nullptr;
        const auto& choice = std::get<std::optional<Choice<Call>>>(of(scope));
        return choice ? &*choice : nullptr;
    }

    template <class Call>
    void set(Scope scope, Choice<Call> choice)
    {
        std::get<std::optional<Choice<Call>>>(parts_[scope == Scope::lane]) = std::move(choice);
    }

private:
    template <class Call>
    using Optional = std::optional<Choice<Call>>;

    const PerCall<Optional>& of(Scope scope) const { return parts_[scope == Scope::lane]; }

    std::array<PerCall<Optional>, 2> parts_;
};

template <class Call>
struct Rule {
    Where where = {};
    Choice<Call> choice = {};
    std::shared_ptr<const Components> components = {};  ///< null: none named
    std::string origin = {};                            ///< "site.conf:12", or the variable
    std::shared_ptr<const Shapes> measured = {};        ///< see nearest(); null: `where` as it is
    std::optional<Choice<Call>> whole = {};  ///< in its stead where messages must stay whole
};

/// All rules that hold in a process, in the order in which they were given: of those that fit a call
/// the latest decides.
class Rules {
public:
    /// One line of a profile: `bcast nodes=2.. bytes=64K.. use lane_pipeline(segment=32K)`.
    /// Throws Misunderstood. `measured`: where its file's rules were, if they are used elsewhere, too.
    void add_line(std::string_view line, std::string_view origin,
                  std::shared_ptr<const Shapes> measured = {});

    /// LANEWAY_ALGORITHM: `bcast=lane,bcast@lane=chain(segment=8K)`. Throws Misunderstood.
    void add_list(std::string_view list, std::string_view origin);

    /// Where messages must stay whole, `choice` serves in the stead of the latest rule for that target.
    void keep_whole_by(std::string_view target, std::string_view choice);

    template <class Call>
    const std::vector<Rule<Call>>& all(Scope scope) const
    {
        return std::get<RulesOf<Call>>(rules_[static_cast<std::size_t>(scope)]);
    }

    /// Some rule of that scope is not native; of a component's, there is one, native or not, or a rule names one.
    bool choose(Scope scope) const { return chooses_[static_cast<std::size_t>(scope)]; }
    /// The same for calls of the user's, in any form.
    bool choose() const
    {
        return choose(Scope::user) || choose(Scope::nonblocking) || choose(Scope::persistent);
    }
    /// Some rule for calls of the user's of that form has another algorithm than native for this collective.
    template <class Call>
    bool offer(Scope form) const
    {
        return reach<Call>(form).ranks.least <= reach<Call>(form).ranks.most;
    }
    /// It may hold for a call of `bytes` (-1: not all ranks know them) on so many ranks, whose nodes have so many lanes, as
    /// far as is known at a glance.
    template <class Call>
    bool may_choose(Scope form, int ranks, int lanes, std::int64_t bytes) const
    {
        const Reach<Call>& its = reach<Call>(form);
        return its.ranks.contains(ranks) && its.lanes.contains(lanes) &&
               (bytes < 0 || its.bytes.contains(bytes));
    }
    /// The same of algorithms that want nodes and lanes.
    bool decompose(Scope scope) const { return decomposes_[static_cast<std::size_t>(scope)]; }

private:
    template <class Call>
    using RulesOf = std::vector<Rule<Call>>;

    /// From the least to the most that rules with another algorithm than native ask for; at first there is none.
    template <class Call>
    struct Reach {
        Range ranks{1, 0}, lanes{1, 0}, bytes{1, 0};

        void include(const Rule<Call>& rule)
        {
            bytes = hull(bytes, rule.where.bytes);
            const Where shape = rule.measured ? Where{} : rule.where;  // it may be used elsewhere
            constexpr std::int64_t many = std::numeric_limits<int>::max();
            const std::int64_t processes =
                std::min(shape.nodes.least, many) * std::min(shape.ppn.least, many);
            ranks = hull(ranks, shape.ranks.overlap({processes}));
            lanes = hull(lanes, shape.lanes);
        }
        static Range hull(const Range& one, const Range& other)
        {
            if (one.least > one.most) return other;
            if (other.least > other.most) return one;
            return {std::min(one.least, other.least), std::max(one.most, other.most)};
        }
    };
    template <class Call>
    const Reach<Call>& reach(Scope form) const
    {
        return std::get<Reach<Call>>(reaches_[static_cast<std::size_t>(form)]);
    }

    void add(std::string_view target, const Where& where, std::string_view choice,
             std::string_view components, std::string_view origin,
             std::shared_ptr<const Shapes> measured, bool by_hand);

    std::array<PerCall<RulesOf>, scopes> rules_;
    std::array<PerCall<Reach>, 3> reaches_;  ///< of the user's calls, by their form
    std::array<bool, scopes> chooses_{}, decomposes_{};
};

/// Which rule for a collective decides on one communicator, by the bytes of a call: a step function, as calls
/// that stay native must not pay for the number of rules.
template <class Call>
struct Candidates {
    std::vector<std::int64_t> from;         ///< ascending, from 0; empty: there are no rules
    std::vector<const Rule<Call>*> rules;   ///< from there up to the next; null: none decides
    const Rule<Call>* any_bytes = nullptr;  ///< of those that don't ask for bytes
    bool offers = false;                    ///< some rule's algorithm is not native
};

/// The rules that can hold on one communicator: conditions on its shape are settled once.
class Selector {
public:
    Selector() = default;
    Selector(const Rules& rules, Scope scope, const Shape& shape);

    /// The rule that decides on a call of `bytes`; null: none does. Where not all ranks know the
    /// bytes (-1), only rules that don't ask for them can hold.
    template <class Call>
    const Rule<Call>* rule(std::int64_t bytes) const
    {
        const auto& own = std::get<Candidates<Call>>(candidates_);
        if (bytes < 0 || own.from.empty()) return own.any_bytes;
        const auto next = std::upper_bound(own.from.begin(), own.from.end(), bytes);
        return own.rules[static_cast<std::size_t>(next - own.from.begin()) - 1];
    }

    /// Some rule for that collective may decide on another algorithm than native.
    template <class Call>
    bool offers() const
    {
        return std::get<Candidates<Call>>(candidates_).offers;
    }
    /// The same for any collective.
    bool offers() const
    {
        return std::apply([](const auto&... each) { return (each.offers || ...); }, candidates_);
    }

private:
    PerCall<Candidates> candidates_;
};

}  // namespace laneway
