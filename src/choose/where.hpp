// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "machine/binding.hpp"
#include "machine/cores.hpp"

/// The conditions of rules: on the shape of a communicator, and on a message's bytes.
namespace laneway {

/// The shape of a communicator, which is the same for all its processes and may therefore decide.
struct Shape {
    int ranks = 1;
    int nodes = 1;
    int smallest = 1;  ///< processes on the smallest node
    int largest = 1;   ///< processes on the largest node
    int lanes = 1;     ///< network lanes of a node
    Binding binding = Binding::unknown;
    Cores cores = Cores::unknown;
    bool regular() const { return smallest == largest; }
};

/// Numbers from `least` to `most`, both included.
struct Range {
    std::int64_t least = 0;
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
    bool contains(std::int64_t number) const { return least <= number && number <= most; }
    bool covers(const Range& other) const { return least <= other.least && other.most <= most; }
    /// The common numbers; empty (least above most) where there are none.
    Range overlap(const Range& other) const
    {
        return {std::max(least, other.least), std::min(most, other.most)};
    }
};

/// For which calls a rule holds.
struct Where {
    Range ranks, nodes, ppn, lanes;
    std::optional<bool> regular;
    std::optional<Binding> binding;
    std::optional<Cores> cores;
    Range bytes;  ///< bytes of the message, or of a block of it; see Facts

    bool fits(const Shape& shape) const;
    /// Whether this holds wherever `other` does.
    bool covers(const Where& other) const;
    /// Where both hold; empty: nowhere.
    std::optional<Where> overlap(const Where& other) const;

    /// The nearest to `shape` of the shapes in these conditions. Empty where `shape` is one node, or has one
    /// process a node, which is like no other shape, or has another binding or other cores.
    std::optional<Shape> nearest(const Shape& shape) const;
};

/// Shapes that were measured.
using Shapes = std::vector<Where>;

/// Whether `shape` is one of `shapes`.
bool among(const Shapes& shapes, const Shape& shape);

/// The one of `shapes` that is nearest to `shape` (halfway: the larger), by the factors between their nodes, processes
/// a node and lanes. It is `shape` itself where that is one of them, or none is like it.
Shape nearest(const Shapes& shapes, const Shape& shape);

/// Adds a condition such as `nodes=2..8` or `bytes=64K..` to `where`; false: `name` is none. Throws Misunderstood.
bool set_condition(std::string_view name, std::string_view value, Where& where);

/// Notes `name` in `seen`. A name that is seen twice in one place is a mistake: throws Misunderstood.
void once(std::vector<std::string_view>& seen, const char* kind, std::string_view name);

}  // namespace laneway
