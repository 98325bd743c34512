// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "decomposition/decomposition.hpp"
#include "own/plain.hpp"

/// The collectives that algorithms call on their parts.
namespace laneway {

/// @name Components by the selector
/// Those that no algorithm is registered for are plain (own/plain.hpp): the library's, or ours where they are
/// recorded. So are those whose buffers differ in type between ranks or from each other, strided columns
/// against plain blocks: an algorithm may rely on one type and count, and what calls it so calls `plain::` by
/// name.
/// @{
void bcast(const Buffer& data, int root, const Part& on);
void scatter(const Buffer& whole, const Buffer& mine, int root, const Part& on);
void gather(const Buffer& mine, const Buffer& whole, int root, const Part& on);
void allgather(const Buffer& mine, const Buffer& whole, const Part& on);
/// In place: the caller's block stands in `whole` already.
void allgather(const Buffer& whole, const Part& on);
void alltoall(const Buffer& input, const Buffer& result, const Part& on);
void reduce(const Buffer& input, const Buffer& result, MPI_Op op, int root, const Part& on);
void allreduce(const Buffer& input, const Buffer& result, MPI_Op op, const Part& on);
void reduce_scatter_block(const Buffer& input, const Buffer& result, MPI_Op op, const Part& on);
void scan(const Buffer& input, const Buffer& result, MPI_Op op, const Part& on);
void exscan(const Buffer& input, const Buffer& result, MPI_Op op, const Part& on);
void barrier(const Part& on);

using plain::allgatherv;
using plain::alltoallv;
using plain::gatherv;
using plain::reduce_scatter;
using plain::scatterv;
using pmpi::copy;
using pmpi::reduce_local;
/// @}

}  // namespace laneway
