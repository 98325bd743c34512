// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <tuple>

#include "collectives/node_blocks.hpp"
#include "data/buffer.hpp"
#include "data/partition.hpp"

/// The collectives, one struct each: the arguments that every algorithm of that collective takes.
/// Data-moving calls come in wire form (messages/wire.hpp), the same count on all ranks; reductions in
/// the caller's own type and operator.
namespace laneway {

/// The data whose elements the count of a call counts.
enum class Message : unsigned char {
    one,     ///< the message
    blocks,  ///< one of the blocks that there are, one a rank
    personal,  ///< as `blocks`, and some process has a block of its own for each other one, or gets one from it
};

/// MPI_Bcast: `data` from `root` to all.
struct Bcast {
    static constexpr const char* name = "bcast";
    static constexpr Message message = Message::one;
    Buffer data;
    int root;
};

/// MPI_Allreduce: everyone's `input`, reduced, to everyone's `result`. In place: both are the same
/// buffer, so an algorithm must have read what it needs before it writes.
struct Allreduce {
    static constexpr const char* name = "allreduce";
    static constexpr Message message = Message::one;
    static constexpr bool all_meet = true;
    Buffer input;
    Buffer result;
    MPI_Op op;
};

/// MPI_Allgather: everyone's block `mine` to everyone's `result`, the row of blocks in rank order. In
/// place: the caller's block stands at its place in the result already.
struct Allgather {
    static constexpr const char* name = "allgather";
    static constexpr Message message = Message::blocks;
    Buffer mine;
    Buffer result;
};

/// MPI_Scatter: block r of `whole`, on the root, to `mine` on rank r. (In place at the root: `mine` is
/// memory that nobody reads.) Elsewhere `whole` has the count of the whole and no data.
struct Scatter {
    static constexpr const char* name = "scatter";
    static constexpr Message message = Message::personal;
    Buffer whole;
    Buffer mine;
    int root;
};

/// MPI_Gather: everyone's `mine` to `whole`, the row of blocks in rank order, on the root. In place at
/// the root: its block stands at its place already. Elsewhere `whole` has the count of the whole and
/// no data.
struct Gather {
    static constexpr const char* name = "gather";
    static constexpr Message message = Message::personal;
    Buffer mine;
    Buffer whole;
    int root;
};

/// MPI_Alltoall: block r of everyone's `input` to rank r, where blocks stand in rank order in
/// `result`. In place: both are the same buffer.
struct Alltoall {
    static constexpr const char* name = "alltoall";
    static constexpr Message message = Message::personal;
    Buffer input;
    Buffer result;
};

/// MPI_Reduce: everyone's `input`, reduced, to `result` on the root (elsewhere it has no data). In
/// place at the root: both are the same buffer.
struct Reduce {
    static constexpr const char* name = "reduce";
    static constexpr Message message = Message::one;
    Buffer input;
    Buffer result;
    MPI_Op op;
    int root;
};

/// MPI_Reduce_scatter_block: block r of the reduction of everyone's `input` to `result` on rank r. In
/// place: the result goes to the start of the input.
struct ReduceScatterBlock {
    static constexpr const char* name = "reduce_scatter_block";
    static constexpr Message message = Message::personal;
    static constexpr bool all_meet = true;
    Buffer input;
    Buffer result;
    MPI_Op op;
};

/// MPI_Scan: the reduction of the inputs of ranks 0 to r to `result` on rank r. In place: both are the
/// same buffer.
struct Scan {
    static constexpr const char* name = "scan";
    static constexpr Message message = Message::one;
    static constexpr bool reduces_prefixes = true;
    Buffer input;
    Buffer result;
    MPI_Op op;
};

/// MPI_Exscan: the reduction of the inputs of ranks 0 to r - 1 to `result` on rank r; on rank 0 the
/// result is not written. In place: both are the same buffer.
struct Exscan {
    static constexpr const char* name = "exscan";
    static constexpr Message message = Message::one;
    static constexpr bool reduces_prefixes = true;
    Buffer input;
    Buffer result;
    MPI_Op op;
};

/// MPI_Barrier.
struct Barrier {
    static constexpr const char* name = "barrier";
    static constexpr Message message = Message::one;
    static constexpr bool all_meet = true;
};

/// @name Vector collectives, whose blocks have sizes of their own.
/// A process knows the sizes of the blocks that processes of its node send or receive: these have told each other
/// (call/told.hpp). The sizes of others are 0 in its partition. In a component of an algorithm it knows its own alone.
/// @{

/// MPI_Scatterv, as Scatter.
struct Scatterv {
    static constexpr const char* name = "scatterv";
    static constexpr Message message = Message::personal;
    using Regular = Scatter;
    Buffer whole;
    Buffer mine;
    Partition part;
    int root;
};

/// MPI_Gatherv, as Gather.
struct Gatherv {
    static constexpr const char* name = "gatherv";
    static constexpr Message message = Message::personal;
    using Regular = Gather;
    Buffer mine;
    Buffer whole;
    Partition part;
    int root;
};

/// MPI_Allgatherv, as Allgather.
struct Allgatherv {
    static constexpr const char* name = "allgatherv";
    static constexpr Message message = Message::blocks;
    using Regular = Allgather;
    Buffer mine;
    Buffer result;
    Partition part;
};

/// MPI_Alltoallv: block r of `input` to rank r, and from it block r of `result`. MPI_Alltoallw is the same: types by
/// rank are gone in wire form.
struct Alltoallv {
    static constexpr const char* name = "alltoallv";
    static constexpr Message message = Message::personal;
    using Regular = Alltoall;
    Buffer input;
    Partition input_part;
    Buffer result;
    Partition result_part;
    const NodeBlocks* of_node =
        nullptr;  ///< blocks of the node; null: the algorithm is flat, or this a component
    std::int64_t longest = 0;  ///< elements of the longest block of all, where everyone is told
    /// Lengths of the blocks that pass by, where processes are told: lengths_by_digits() (walks/digits.hpp).
    std::span<const std::int64_t> passing = {};
};

/// MPI_Neighbor_alltoallv and MPI_Neighbor_alltoallw, as Alltoallv: what a process has for another one by all of its
/// edges to it is one block. Most are empty. Never in place.
struct NeighborAlltoallv : Alltoallv {
    static constexpr const char* name = "neighbor_alltoallv";
};

/// MPI_Reduce_scatter, as ReduceScatterBlock.
struct ReduceScatter {
    static constexpr const char* name = "reduce_scatter";
    static constexpr Message message = Message::personal;
    using Regular = ReduceScatterBlock;
    Buffer input;
    Buffer result;
    Partition part;
    MPI_Op op;
};
/// @}

/// All collectives.
using Calls = std::tuple<Bcast, Scatter, Gather, Allgather, Alltoall, Reduce, Allreduce,
                         ReduceScatterBlock, Scan, Exscan, Barrier, Scatterv, Gatherv, Allgatherv,
                         Alltoallv, NeighborAlltoallv, ReduceScatter>;

}  // namespace laneway
