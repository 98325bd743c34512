// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "data/buffer.hpp"
#include "data/scratch.hpp"
#include "data/segments.hpp"
#include "messages/messages.hpp"
#include "walks/links.hpp"

namespace laneway {

/// Segments of everyone's input, reduced on their way up a tree: a process's own, then its children's, one
/// child's after the other's. Operands of the next segment may arrive while the present one is combined and sent on.
///
/// Temporary memory: two rooms where there are children, one where there is one child; twice that where there
/// are several segments.
class Up {
public:
    /// The side of their parent's sum from which children's sums are combined.
    enum class Side { right, left };

    /// `result` matters on the root alone; in place, it is the input. The links must outlive it.
    Up(const Buffer& input, const Buffer& result, MPI_Op op, std::int64_t bytes, const Links& links,
       Side side = Side::right);

    int segments() const { return input_.count(); }

    /// Takes a segment from the children, and sends it on to the parent or to its place in the result; 0, 1 ... in
    /// turn. Past the last one, nothing is under way.
    void segment(int number);

private:
    static constexpr int turns = 2;  ///< segments that have rooms at once

    Buffer final_room(int number) const;
    Buffer room(int number, std::size_t child) const;
    void receive(int number, std::size_t child);
    void combine(const Buffer& arrived, Buffer& sum) const;

    Segments input_, result_;
    const MPI_Op op_;
    const Links& links_;
    const Side side_;
    const bool direct_;  ///< sums form at their place in the result
    const int rooms_;    ///< rooms of a segment
    const Scratch scratch_;
    std::array<Messages, turns> arriving_;
    Messages leaving_;
};

/// Reduces everyone's input to the root's `result`.
void reduce_up(const Buffer& input, const Buffer& result, MPI_Op op, std::int64_t bytes,
               const Links& links, Up::Side side = Up::Side::right);

/// Reduces up a tree over positions of `order`. Where the tree's root is another process, it sends the result to
/// `root`.
void reduce_up(const Buffer& input, const Buffer& result, MPI_Op op, std::int64_t bytes,
               const Tree& tree, const Order& order, int root, const Comm& comm);

}  // namespace laneway
