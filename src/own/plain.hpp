// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi/pmpi.hpp"
#include "mpi/recording.hpp"
#include "own/own.hpp"

/// Components that nobody has chosen an algorithm for: the MPI library's own; in what is recorded, ours.
/// Buffers may differ in type between ranks, and from each other, where their signatures are equal.
namespace laneway::plain {

template <auto Own, auto Library>
struct Either {
    template <class... Argument>
    void operator()(const Argument&... argument) const
    {
        if (Recording::current()) return Own(argument...);
        Library(argument...);
    }
};

inline constexpr Either<own::bcast, pmpi::bcast> bcast;
inline constexpr Either<own::reduce, pmpi::reduce> reduce;
inline constexpr Either<own::scatter, pmpi::scatter> scatter;
inline constexpr Either<own::scatterv, pmpi::scatterv> scatterv;
inline constexpr Either<own::gather, pmpi::gather> gather;
inline constexpr Either<own::gatherv, pmpi::gatherv> gatherv;
inline constexpr Either<own::barrier, pmpi::barrier> barrier;
inline constexpr Either<own::allgather, pmpi::allgather> allgather;
inline constexpr Either<own::allgatherv, pmpi::allgatherv> allgatherv;
inline constexpr Either<own::alltoall, pmpi::alltoall> alltoall;
inline constexpr Either<own::alltoallv, pmpi::alltoallv> alltoallv;
inline constexpr Either<own::allreduce, pmpi::allreduce> allreduce;
inline constexpr Either<own::reduce_scatter, pmpi::reduce_scatter> reduce_scatter;
inline constexpr Either<own::reduce_scatter_block, pmpi::reduce_scatter_block> reduce_scatter_block;
inline constexpr Either<own::scan, pmpi::scan> scan;
inline constexpr Either<own::exscan, pmpi::exscan> exscan;

}  // namespace laneway::plain
