// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "containers/few.hpp"

/// How processes share out a message among them, in phases: in each, those of a group take over a part each of
/// what they have in common so far. Groups are of equal size, and members of one have taken over the same before.
namespace laneway {

/// The processes of a group in the order of their parts, and which of them is the calling one.
struct Group {
    Few<int, 4> members;
    int place;

    int size() const { return static_cast<int>(members.size()); }
    int member(int at) const { return members[static_cast<std::size_t>(at)]; }

    /// `body(from, to)`, places, with everyone else of it, the next one first.
    template <class Body>
    void for_others(const Body& body) const
    {
        for (int distance = 1; distance < size(); ++distance)
            body((place - distance + size()) % size(), (place + distance) % size());
    }
};
using Phases = Few<Group, 4>;

using Factors = Few<int, 6>;

/// Ascending, each as often as it divides.
Factors prime_factors(int number);

/// The same with as few factors as those up to `radix` allow, the largest first; larger ones where they are prime.
Factors few_factors(int number, int radix);

/// Factors `radix` and a last smaller one, whose product is the largest such that does not exceed `size`.
Factors radix_factors(int size, int radix);
int product(const Factors& factors);

/// Of as many processes as the product of `factors`: groups of neighbours first, of the first factor. So what a
/// group has in common are the operands of a row of neighbours.
Phases near_first(int process, const Factors& factors);

/// Groups of those that are farthest from each other first. So what a process takes over is the part of its own
/// number.
Phases far_first(int process, const Factors& factors);

/// Pairs at the distances 1, 1, 3, 5, 11 ..., to alternating sides: on a torus, few hops. `processes` are a power
/// of two.
Phases swing(int process, int processes);

/// The process that takes over part `part` of so many, a power of two, where pairs of neighbours come first; and
/// the part that it takes over.
int mirrored(int part, int parts);

}  // namespace laneway
