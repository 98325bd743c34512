// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

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
    virtual ~BlockMatrix() = default;
    /// Elements of the block of rank `origin` for rank `target`; one of the two ranks is on this node.
    virtual std::int64_t size(int origin, int target) const = 0;
    /// The calling process's block for `target`. Blocks for successive ranks follow each other, here and in received().
    virtual Buffer sent(int target) const = 0;
    /// The calling process's block from `origin`.
    virtual Buffer received(int origin) const = 0;
    /// The type of all blocks.
    MPI_Datatype type() const { return received(0).type; }
};

/// The blocks of a call.
template <class Call>
class MatrixOf;

template <>
class MatrixOf<Scatterv> final : public BlockMatrix {
public:
    MatrixOf(const Scatterv& call, const Decomposition& on) : call_(call), rank_(on.world.rank()) {}
    std::int64_t size(int origin, int target) const override
    {
        return origin == call_.root ? call_.part.size(target) : 0;
    }
    Buffer sent(int target) const override
    {
        return rank_ == call_.root ? call_.part.block(call_.whole, target) : call_.mine.slice(0, 0);
    }
    Buffer received(int origin) const override
    {
        return origin == call_.root ? call_.mine : call_.mine.slice(0, 0);
    }

private:
    const Scatterv& call_;
    int rank_;
};

template <>
class MatrixOf<Gatherv> final : public BlockMatrix {
public:
    MatrixOf(const Gatherv& call, const Decomposition& on) : call_(call), rank_(on.world.rank()) {}
    std::int64_t size(int origin, int target) const override
    {
        return target == call_.root ? call_.part.size(origin) : 0;
    }
    Buffer sent(int target) const override
    {
        return target == call_.root ? call_.mine : call_.mine.slice(0, 0);
    }
    Buffer received(int origin) const override
    {
        return rank_ == call_.root ? call_.part.block(call_.whole, origin) : call_.mine.slice(0, 0);
    }

private:
    const Gatherv& call_;
    int rank_;
};

/// In place, a copy of the input is sent.
template <>
class MatrixOf<Alltoallv> : public BlockMatrix {
public:
    MatrixOf(const Alltoallv& call, const Decomposition& on)
        : call_(call),
          leaving_(call.input, call.result, on.world),
          on_(on)
    {
    }
    std::int64_t size(int origin, int target) const override
    {
        const auto local = [&](int rank) {
            return static_cast<std::size_t>(on_.locate(rank).local);
        };
        return on_.locate(origin).node == on_.node_index()
                   ? call_.of_node->sent[local(origin)].size(target)
                   : call_.of_node->received[local(target)].size(origin);
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
    const Decomposition& on_;
};

template <>
class MatrixOf<NeighborAlltoallv> final : public MatrixOf<Alltoallv> {
    using MatrixOf<Alltoallv>::MatrixOf;
};

}  // namespace laneway
