// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/calls.hpp"
#include "decomposition/decomposition.hpp"
#include "walks/all_to_all.hpp"

/// Gatherv, scatterv and alltoallv as one: blocks that processes have for each other, as the processes of one node know
/// them.
namespace laneway {

/// The lengths of the blocks that the processes of the calling process's node send and receive, and the places of the
/// calling process's own blocks.
class BlockMatrix {
public:
    explicit BlockMatrix(const Decomposition& on) : on_(on) {}
    virtual ~BlockMatrix() = default;
    /// Elements of the blocks of rank `origin` for the first processes, so many, of a node. The origin is on the
    /// calling process's node, or that node is it.
    virtual std::int64_t for_first(int processes, int node, int origin) const = 0;
    /// Elements of the block of rank `origin` for rank `target`; one of the two ranks is on this node.
    std::int64_t size(int origin, int target) const
    {
        const auto [node, local] = on_.locate(target);
        return for_first(local + 1, node, origin) - for_first(local, node, origin);
    }
    /// The calling process's block for `target`. Blocks for successive ranks follow each other, here and in received().
    virtual Buffer sent(int target) const = 0;
    /// The calling process's block from `origin`.
    virtual Buffer received(int origin) const = 0;
    /// The weights by which lanes share what one node has for another; empty: those of all nodes.
    virtual LaneWeights weights_between(int from, int to) const
    {
        return on_.weights_between(from, to);
    }
    /// The type of all blocks.
    MPI_Datatype type() const { return received(0).type; }

protected:
    const Layout& layout() const { return on_; }
    const Decomposition& on_;
};

/// The weights of lanes, by node, of a collective with a root. They suit blocks that are alike: nobody knows all
/// lengths.
class WeightsTowards {
public:
    WeightsTowards(int root, const Decomposition& on)
        : by_node_(on.weights_towards(on.locate(root).node))
    {
    }
    LaneWeights of(int node) const
    {
        return by_node_.empty() ? LaneWeights() : by_node_[static_cast<std::size_t>(node)];
    }

private:
    std::vector<LaneWeights> by_node_;
};

/// The blocks of a call.
template <class Call>
class MatrixOf;

template <>
class MatrixOf<Scatterv> final : public BlockMatrix {
public:
    MatrixOf(const Scatterv& call, const Decomposition& on)
        : BlockMatrix(on),
          call_(call),
          rank_(on.world.rank()),
          weights_(call.root, on)
    {
        for (int node = 0; node < on.nodes(); ++node)
            for (const int rank : on.members(node))
                before_.push_back(before_.back() + call.part.size(rank));
    }
    std::int64_t for_first(int processes, int node, int origin) const override
    {
        if (origin != call_.root) return 0;
        const auto first = before_.begin() + layout().starts_at(node);
        return first[processes] - *first;
    }
    Buffer sent(int target) const override
    {
        return rank_ == call_.root ? call_.part.block(call_.whole, target) : call_.mine.slice(0, 0);
    }
    Buffer received(int origin) const override
    {
        return origin == call_.root ? call_.mine : call_.mine.slice(0, 0);
    }
    LaneWeights weights_between(int, int to) const override { return weights_.of(to); }

private:
    const Scatterv& call_;
    int rank_;
    WeightsTowards weights_;
    std::vector<std::int64_t> before_{0};  ///< sums of blocks, node after node
};

template <>
class MatrixOf<Gatherv> final : public BlockMatrix {
public:
    MatrixOf(const Gatherv& call, const Decomposition& on)
        : BlockMatrix(on),
          call_(call),
          rank_(on.world.rank()),
          root_(on.locate(call.root)),
          weights_(call.root, on)
    {
    }
    std::int64_t for_first(int processes, int node, int origin) const override
    {
        return node == root_.node && processes > root_.local ? call_.part.size(origin) : 0;
    }
    Buffer sent(int target) const override
    {
        return target == call_.root ? call_.mine : call_.mine.slice(0, 0);
    }
    Buffer received(int origin) const override
    {
        return rank_ == call_.root ? call_.part.block(call_.whole, origin) : call_.mine.slice(0, 0);
    }
    LaneWeights weights_between(int from, int) const override { return weights_.of(from); }

private:
    const Gatherv& call_;
    int rank_;
    Layout::Place root_;
    WeightsTowards weights_;
};

/// In place, a copy of the input is sent.
template <>
class MatrixOf<Alltoallv> : public BlockMatrix {
public:
    MatrixOf(const Alltoallv& call, const Decomposition& on)
        : BlockMatrix(on),
          call_(call),
          leaving_(call.input, call.result, on.world),
          node_(on.node_index())
    {
    }
    std::int64_t for_first(int processes, int node, int origin) const override
    {
        if (node == node_) return call_.of_node->received(origin, processes);
        const int local = layout().locate(origin).local, first = layout().starts_at(node);
        return call_.of_node->sent(local, first + processes) - call_.of_node->sent(local, first);
    }
    Buffer sent(int target) const override
    {
        return call_.input_part.block(leaving_.buffer(), target);
    }
    Buffer received(int origin) const override
    {
        return call_.result_part.block(call_.result, origin);
    }

private:
    const Alltoallv& call_;
    const Leaving leaving_;
    int node_;
};

template <>
class MatrixOf<NeighborAlltoallv> final : public MatrixOf<Alltoallv> {
    using MatrixOf<Alltoallv>::MatrixOf;
};

}  // namespace laneway
