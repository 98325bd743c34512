// SPDX-License-Identifier: BSD-3-Clause
#include "bench/probes/collective_call.hpp"

#include <algorithm>

#include "bench/job/ranks.hpp"
#include "bench/text/words.hpp"
#include "library/error.hpp"

namespace laneway::bench {
namespace {

int sum_of_contributions(std::int64_t index, int size)
{
    int sum = 0;
    for (int rank = 0; rank < size; ++rank) sum += contribution(rank, index);
    return sum;
}

std::int64_t one_block(int count, int, int) { return count; }
std::int64_t all_blocks(int count, int, int size) { return std::int64_t{count} * size; }

// The root has only an input, the others have only a result.
int bcast(const int* in, int* out, int count, MPI_Comm comm)
{
    return MPI_Bcast(rank_in(comm) == 0 ? const_cast<int*>(in) : out, count, MPI_INT, 0, comm);
}

const NativeCollective collectives[] = {
    {.name = "allgather",
     .blocks = true,
     .input = one_block,
     .output = all_blocks,
     .call =
         [](const int* in, int* out, int count, MPI_Comm comm) {
             return MPI_Allgather(in, count, MPI_INT, out, count, MPI_INT, comm);
         },
     .expected = [](std::int64_t index, int count, int,
                    int) { return contribution(static_cast<int>(index / count), index % count); },
     .moved = [](int count, int size) { return std::int64_t{count} * (size - 1); }},
    {.name = "allreduce",
     .blocks = false,
     .input = one_block,
     .output = one_block,
     .call = [](const int* in, int* out, int count,
                MPI_Comm comm) { return MPI_Allreduce(in, out, count, MPI_INT, MPI_SUM, comm); },
     .expected = [](std::int64_t index, int, int,
                    int size) { return sum_of_contributions(index, size); },
     // Reduce-scatter and allgather, each moving all but a process's own share.
     .moved = [](int count, int size) { return 2 * std::int64_t{count} * (size - 1) / size; }},
    {.name = "alltoall",
     .blocks = true,
     .input = all_blocks,
     .output = all_blocks,
     .call =
         [](const int* in, int* out, int count, MPI_Comm comm) {
             return MPI_Alltoall(in, count, MPI_INT, out, count, MPI_INT, comm);
         },
     .expected =
         [](std::int64_t index, int count, int rank, int) {
             return contribution(static_cast<int>(index / count),
                                 std::int64_t{rank} * count + index % count);
         },
     .moved = [](int count, int size) { return std::int64_t{count} * (size - 1); }},
    {.name = "bcast",
     .blocks = false,
     .input = [](int count, int rank, int) { return std::int64_t{rank == 0 ? count : 0}; },
     .output = [](int count, int rank, int) { return std::int64_t{rank == 0 ? 0 : count}; },
     .call = bcast,
     .expected = [](std::int64_t index, int, int, int) { return contribution(0, index); },
     .moved = [](int count, int) { return std::int64_t{count}; }},
};

}  // namespace

const NativeCollective& native_collective(const std::string& name)
{
    return named(collectives, &NativeCollective::name, "no probe runs the collective", name);
}

CollectiveCall::CollectiveCall(const NativeCollective& collective, int count, MPI_Comm comm)
    : collective_(collective),
      count_(count),
      comm_(comm)
{
    if (comm == MPI_COMM_NULL) return;
    rank_ = rank_in(comm);
    size_ = size_of(comm);
    in_.resize(static_cast<std::size_t>(collective.input(count, rank_, size_)));
    out_.resize(static_cast<std::size_t>(collective.output(count, rank_, size_)));
    for (std::size_t index = 0; index < in_.size(); ++index)
        in_[index] = contribution(rank_, static_cast<std::int64_t>(index));
}

void CollectiveCall::exchange()
{
    if (comm_ == MPI_COMM_NULL) return;
    check(collective_.call(in_.data(), out_.data(), count_, comm_));
}

void CollectiveCall::reset() { std::ranges::fill(out_, -1); }

bool CollectiveCall::correct() const
{
    for (std::size_t index = 0; index < out_.size(); ++index)
        if (out_[index] !=
            collective_.expected(static_cast<std::int64_t>(index), count_, rank_, size_))
            return false;
    return true;
}

}  // namespace laneway::bench
