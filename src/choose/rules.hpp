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

#include "choose/conditions.hpp"
#include "choose/target.hpp"
#include "choose/where.hpp"
#include "collectives/choice.hpp"

/// Which algorithm serves which call: rules, of profiles and of LANEWAY_ALGORITHM, as text and as
/// what they mean. docs/profiles.md describes the language.
namespace laneway {

struct Rule {
    Where where = {};
    Choice choice = {};
    std::shared_ptr<const Components> components = {};  ///< null: none named
    std::string origin = {};                            ///< "site.conf:12", or the variable
    std::shared_ptr<const Shapes> measured = {};        ///< see nearest(); null: `where` as it is
    std::optional<Choice> whole = {};  ///< in its stead where messages must stay whole.
    /// Only published times speak for the rule: those of this machine alone, or, where it is empty, of whichever.
    std::optional<std::string> inferred = {};
    std::optional<Learned> learned = {};
};

/// All rules that hold in a process, in the order in which they were given: of those that fit a call
/// the latest decides.
class Rules {
public:
    /// One line of a profile: `bcast nodes=2.. bytes=64K.. use lane_pipeline(segment=32K)`. It may be no rule but
    /// `undecided bcast bytes=..63`, which is only checked.
    /// Throws Misunderstood. `measured`: where the file's rules were measured, if they are used elsewhere, too.
    void add_line(std::string_view line, std::string_view origin,
                  std::shared_ptr<const Shapes> measured = {});

    /// The text of LANEWAY_ALGORITHM: `bcast=lane,bcast@lane=chain(segment=8K)`. Throws Misunderstood.
    void add_list(std::string_view list, std::string_view origin);

    /// Where messages must stay whole, `choice` serves in the stead of the latest rule for that target.
    void keep_whole_by(std::string_view target, std::string_view choice);

    /// Calls of the user's of that collective, in that form, may be served by whichever way is learnt to be fastest.
    void learn(Scope form, Collective collective);
    bool learns(Scope form, Collective collective) const
    {
        return !is_component(form) && learns_[static_cast<std::size_t>(form)][collective];
    }

    const std::vector<Rule>& all(Scope scope, Collective collective) const
    {
        return rules_[static_cast<std::size_t>(scope)][collective];
    }

    /// Whether calls of that scope are worth a look at the rules: some rule is not native, or some collective is
    /// learnt. For a component's scope: there is a rule, native or not, or a rule names a component of that scope.
    bool matter(Scope scope) const { return matters_[static_cast<std::size_t>(scope)]; }
    /// Whether some rule for calls of the user's, in any form, is not native.
    bool matter() const
    {
        return matter(Scope::user) || matter(Scope::nonblocking) || matter(Scope::persistent);
    }
    /// Whether some rule for calls of the user's of that form has another algorithm than native for this collective,
    /// or it is learnt.
    bool offer(Scope form, Collective collective) const
    {
        const Range& ranks = reach(form, collective).ranks;
        return ranks.least <= ranks.most;
    }
    /// Whether such a rule may hold for a call of `bytes` (-1: not all ranks know them) on `ranks` ranks, whose nodes
    /// have `lanes` lanes. The answer is as far as is known at a glance.
    bool may_serve(Scope form, Collective collective, int ranks, int lanes,
                   std::int64_t bytes) const
    {
        const Reach& its = reach(form, collective);
        return its.ranks.contains(ranks) && its.lanes.contains(lanes) &&
               (bytes < 0 || its.bytes.contains(bytes));
    }
    /// Whether some rule of that scope has, or names, an algorithm that wants nodes and lanes.
    bool decompose(Scope scope) const { return decomposes_[static_cast<std::size_t>(scope)]; }

private:
    /// Takes note that rules of a scope choose an algorithm; null: native.
    void mark(Scope chosen, const Algorithm* algorithm);
    /// The components that a text names, such as `bcast@lane=chain`; null: none.
    [[gnu::noinline]] std::shared_ptr<Components> components_of(std::string_view text,
                                                                bool by_hand);

    /// The least to the most numbers that rules with another algorithm than native ask for; at first there are none.
    struct Reach {
        Range ranks{1, 0}, lanes{1, 0}, bytes{1, 0};

        void include(const Rule& rule)
        {
            bytes = hull(bytes, rule.where.bytes);
            const Where shape = rule.measured ? Where{} : rule.where;  // used elsewhere, too
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
    const Reach& reach(Scope form, Collective collective) const
    {
        return reaches_[static_cast<std::size_t>(form)][collective];
    }

    Rule& add(std::string_view target, const Where& where, std::string_view choice,
              std::string_view components, std::string_view origin,
              std::shared_ptr<const Shapes> measured, bool by_hand);

    std::array<std::array<std::vector<Rule>, collectives>, scopes> rules_;
    std::array<std::array<Reach, collectives>, 3> reaches_;  ///< for the user's calls, by form
    std::array<bool, scopes> matters_{}, decomposes_{};
    std::array<std::array<bool, collectives>, 3> learns_{};  ///< by form
};

/// The rules for a collective that decide on one communicator, by the bytes of a call. They are a step function, as
/// calls that stay native must not pay for the number of rules.
struct Candidates {
    std::vector<std::int64_t> from;   ///< ascending, from 0; empty: there are no rules
    std::vector<const Rule*> rules;   ///< rule from there up to the next; null: none decides
    const Rule* any_bytes = nullptr;  ///< rule among those that don't ask for bytes
    bool offers = false;              ///< some rule's algorithm is not native, or others are learnt
};

/// The rules that can hold on one communicator: conditions on its shape are settled once.
class Selector {
public:
    Selector() = default;
    Selector(const Rules& rules, Scope scope, const Shape& shape);

    /// The rule that decides on a call of `bytes`; null: none does. Where not all ranks know the
    /// bytes (-1), only rules that don't ask for them can hold.
    const Rule* rule(Collective collective, std::int64_t bytes) const
    {
        const Candidates& own = candidates_[collective];
        if (bytes < 0 || own.from.empty()) return own.any_bytes;
        const auto next = std::upper_bound(own.from.begin(), own.from.end(), bytes);
        return own.rules[static_cast<std::size_t>(next - own.from.begin()) - 1];
    }

    /// Whether some rule for that collective may decide on another algorithm than native.
    bool offers(Collective collective) const { return candidates_[collective].offers; }
    /// Whether some rule for any collective may.
    bool offers() const { return std::ranges::any_of(candidates_, &Candidates::offers); }

private:
    std::array<Candidates, collectives> candidates_;
};

}  // namespace laneway
