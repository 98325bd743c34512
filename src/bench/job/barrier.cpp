// SPDX-License-Identifier: BSD-3-Clause
#include "bench/job/barrier.hpp"

#include <ranges>

#include "bench/job/ranks.hpp"
#include "library/error.hpp"

namespace laneway::bench {
namespace {

constexpr int radix = 4;  // The radix of the tree on a node.

void signal(int to, MPI_Comm comm) { check(MPI_Send(nullptr, 0, MPI_BYTE, to, 0, comm)); }

void wait_for(int from, MPI_Comm comm)
{
    check(MPI_Recv(nullptr, 0, MPI_BYTE, from, 0, comm, MPI_STATUS_IGNORE));
}

void disseminate(MPI_Comm comm)
{
    const int rank = rank_in(comm);
    const int size = size_of(comm);
    for (int distance = 1; distance < size; distance *= 2) {
        const int to = (rank + distance) % size;
        const int from = (rank + size - distance) % size;
        check(MPI_Sendrecv(nullptr, 0, MPI_BYTE, to, 0, nullptr, 0, MPI_BYTE, from, 0, comm,
                           MPI_STATUS_IGNORE));
    }
}

}  // namespace

Barrier::Barrier(MPI_Comm comm, MPI_Comm node) : among_(comm), node_(node)
{
    if (node_ == MPI_COMM_NULL) return;
    const int rank = rank_in(node_);
    const int size = size_of(node_);
    check(MPI_Comm_split(comm, rank == 0 ? 0 : MPI_UNDEFINED, rank_in(comm), &among_));
    int distance = 1;
    for (; distance < size && rank % (radix * distance) == 0; distance *= radix)
        for (int i = 1; i < radix && rank + i * distance < size; ++i)
            children_.push_back(rank + i * distance);
    if (rank > 0) parent_ = rank - rank % (radix * distance);
}

void Barrier::operator()() const
{
    for (const int child : children_) wait_for(child, node_);
    if (among_ != MPI_COMM_NULL) {
        disseminate(among_);
    } else {
        signal(parent_, node_);
        wait_for(parent_, node_);
    }
    for (const int child : children_ | std::views::reverse) signal(child, node_);
}

void Barrier::free()
{
    if (node_ == MPI_COMM_NULL) return;
    check(MPI_Comm_free(&node_));
    if (among_ != MPI_COMM_NULL) check(MPI_Comm_free(&among_));
}

}  // namespace laneway::bench
