// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "collectives/algorithm.hpp"

/// Choices that somebody has made: an algorithm for a call, and others for its components.
namespace laneway {

/// Where a collective runs: on a communicator of the user's, in one of the forms that MPI has, or as a component of
/// an algorithm. A component runs on the processes of a node or of a lane. Components of components are plain.
enum class Scope : unsigned char { user, nonblocking, persistent, node, lane, component };
inline constexpr std::size_t scopes = 6;

constexpr bool is_component(Scope scope) { return scope >= Scope::node; }

/// An algorithm, with the values of its tunables; null: native.
struct Choice {
    const Algorithm* algorithm = nullptr;
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

/// The choices for the components of one algorithm.
class Components {
public:
    /// The choice for a component; null: nobody has chosen anything for that collective there.
    const Choice* find(Scope scope, Collective collective) const
    {
        if (scope != Scope::node && scope != Scope::lane) return nullptr;
        const auto& choice = parts_[scope == Scope::lane][collective];
        return choice ? &*choice : nullptr;
    }

    void set(Scope scope, Collective collective, Choice choice)
    {
        parts_[scope == Scope::lane][collective] = std::move(choice);
    }

private:
    std::array<std::array<std::optional<Choice>, collectives>, 2> parts_;
};

}  // namespace laneway
