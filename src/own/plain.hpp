// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <tuple>

#include "mpi/pmpi.hpp"
#include "mpi/quirks.hpp"
#include "mpi/recording.hpp"
#include "own/library.hpp"
#include "own/own.hpp"

/// Components that nobody has chosen an algorithm for: ours in what is recorded, on parts without a communicator for
/// the library's, and where messages are so short that rounds matter more than bytes; else the MPI library's own.
/// (Libraries send what is short by pairs of processes, in twice as many rounds as trees and groups of own.hpp.)
/// Buffers may differ in type between ranks, and from each other, where their signatures are equal.
namespace laneway::plain {

/// Bytes at most of a short message: on lanes of 100 Gbit/s and 1 us they take a third of the latency.
inline constexpr std::int64_t short_bytes = 4096;

/// By the bytes of the signature alone: ranks may give other types and counts.
inline bool is_short(const Buffer& blocks, int number = 1)
{
    const std::int64_t element = size_of(blocks.type);
    return element == 0 || blocks.count <= number * short_bytes / element;
}

/// @name Which calls are short, by what all ranks give alike: they must come to the same result
/// @{
inline constexpr auto any = [](const auto&...) { return true; };
inline constexpr auto none = [](const auto&...) { return false; };
inline constexpr auto by_first = [](const Comm&, const Buffer& message, const auto&...) {
    return is_short(message);
};
inline constexpr auto by_second = [](const Comm&, const Buffer&, const Buffer& message,
                                     const auto&...) { return is_short(message); };
/// Of a row of blocks.
inline constexpr auto by_first_row = [](const Comm& comm, const Buffer& row, const auto&...) {
    return is_short(row, comm.size());
};
inline constexpr auto by_second_row = [](const Comm& comm, const Buffer&, const Buffer& row,
                                         const auto&...) { return is_short(row, comm.size()); };
/// @}

/// Those in which some process sends to all others, or hears from all, are ours among so many at most.
inline constexpr int few = 8, any_number = std::numeric_limits<int>::max();

/// The library needs one round among two processes, too, and most spend less on it than we do; one that is slow in pairs
/// more than the messages of a node's channel take, and on a barrier more than any take. (Where one is only described,
/// nodes have their channel.)
inline bool is_librarys(const Comm& pair, bool is_barrier)
{
    const own::Library* const described = own::Library::current();
    const bool slow_in_pairs = described ? described->slow_in_pairs() : quirks().slow_in_pairs;
    const bool by_channel = pair.within_node() && (described || pair.channel());
    return !slow_in_pairs || !(is_barrier || by_channel);
}

template <auto Own, auto Library, auto IsShort, int Most = any_number, bool IsBarrier = false>
struct Either {
    template <class... Argument>
    void operator()(const Argument&... argument) const
    {
        const Comm& comm = std::get<sizeof...(argument) - 1>(std::tie(argument...));
        if (!may_be_ours(comm) || !IsShort(comm, argument...)) return by_library(argument...);
        const own::Library::Aside aside;
        Own(argument...);
    }

    /// The library's also where it is short.
    template <class... Argument>
    void by_library(const Argument&... argument) const
    {
        const Comm& comm = std::get<sizeof...(argument) - 1>(std::tie(argument...));
        if (Recording::current() || comm.handle() == MPI_COMM_NULL) return Own(argument...);
        Library(argument...);
    }

private:
    static bool may_be_ours(const Comm& comm)
    {
        const own::Library* const described = own::Library::current();
        if (described && described->short_ones() == own::Library::Short::librarys) return false;
        return comm.size() == 2 ? !is_librarys(comm, IsBarrier) : comm.size() <= Most;
    }
};

inline constexpr Either<own::bcast, pmpi::bcast, by_first> bcast;
inline constexpr Either<own::reduce, pmpi::reduce, by_first> reduce;
inline constexpr Either<own::scatter, pmpi::scatter, by_second, few> scatter;
inline constexpr Either<own::scatterv, pmpi::scatterv, none> scatterv;
inline constexpr Either<own::gather, pmpi::gather, by_first, few> gather;
inline constexpr Either<own::gatherv, pmpi::gatherv, none> gatherv;
inline constexpr Either<own::barrier, pmpi::barrier, any, any_number, true> barrier;
inline constexpr Either<own::allgather, pmpi::allgather, by_first> allgather;
inline constexpr Either<own::allgatherv, pmpi::allgatherv, by_second_row> allgatherv;
inline constexpr Either<own::alltoall, pmpi::alltoall, by_first_row, few> alltoall;
inline constexpr Either<own::alltoallv, pmpi::alltoallv, none> alltoallv;
inline constexpr Either<own::allreduce, pmpi::allreduce, by_first> allreduce;
inline constexpr Either<own::reduce_scatter, pmpi::reduce_scatter, by_first_row, few>
    reduce_scatter;
inline constexpr Either<own::reduce_scatter_block, pmpi::reduce_scatter_block, by_second, few>
    reduce_scatter_block;
inline constexpr Either<own::scan, pmpi::scan, by_first> scan;
inline constexpr Either<own::exscan, pmpi::exscan, by_first> exscan;

}  // namespace laneway::plain
