// SPDX-License-Identifier: BSD-3-Clause
#include "bench/barrier.hpp"

#include <ranges>
#include <vector>

#include "mpi/error.hpp"

namespace laneway::bench {
namespace {

constexpr int radix = 4;  // Of the tree on a node.

struct Place {
    int rank = 0;
    int size = 0;
};

Place place_in(MPI_Comm comm)
{
    Place place;
    check(MPI_Comm_rank(comm, &place.rank));
    check(MPI_Comm_size(comm, &place.size));
    return place;
}

void signal(int to, MPI_Comm comm) { check(MPI_Send(nullptr, 0, MPI_BYTE, to, 0, comm)); }

void wait_for(int from, MPI_Comm comm)
{
    check(MPI_Recv(nullptr, 0, MPI_BYTE, from, 0, comm, MPI_STATUS_IGNORE));
}

void disseminate(MPI_Comm comm)
{
    const auto [rank, size] = place_in(comm);
    for (int distance = 1; distance < size; distance *= 2) {
        const int to = (rank + distance) % size;
        const int from = (rank + size - distance) % size;
        check(MPI_Sendrecv(nullptr, 0, MPI_BYTE, to, 0, nullptr, 0, MPI_BYTE, from, 0, comm,
                           MPI_STATUS_IGNORE));
    }
}

/// All come to process 0 along a tree, where it does `then`, and are let go along the tree: a process
/// has up to `radix - 1` children at each distance.
template <class Then>
void around(MPI_Comm comm, const Then& then)
{
    const auto [rank, size] = place_in(comm);
    std::vector<int> children;
    int distance = 1;
    for (; distance < size && rank % (radix * distance) == 0; distance *= radix)
        for (int i = 1; i < radix && rank + i * distance < size; ++i)
            children.push_back(rank + i * distance);
    for (const int child : children) wait_for(child, comm);
    if (rank == 0) {
        then();
    } else {
        const int parent = rank - rank % (radix * distance);
        signal(parent, comm);
        wait_for(parent, comm);
    }
    for (const int child : children | std::views::reverse) signal(child, comm);
}

}  // namespace

Barrier::Barrier(MPI_Comm comm) : among_(comm)
{
    const auto [rank, size] = place_in(comm);
    check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node_));
    const bool first = place_in(node_).rank == 0;
    int nodes = first ? 1 : 0;
    check(MPI_Allreduce(MPI_IN_PLACE, &nodes, 1, MPI_INT, MPI_SUM, comm));
    if (nodes == 1 || nodes == size)
        check(MPI_Comm_free(&node_));
    else
        check(MPI_Comm_split(comm, first ? 0 : MPI_UNDEFINED, rank, &among_));
}

void Barrier::operator()() const
{
    if (node_ == MPI_COMM_NULL)
        disseminate(among_);
    else
        around(node_, [this] { disseminate(among_); });
}

void Barrier::free()
{
    if (node_ == MPI_COMM_NULL) return;
    check(MPI_Comm_free(&node_));
    if (among_ != MPI_COMM_NULL) check(MPI_Comm_free(&among_));
}

}  // namespace laneway::bench
