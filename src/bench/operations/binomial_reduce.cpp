// SPDX-License-Identifier: BSD-3-Clause
//
// A program's own reduction up a binomial tree, each message as a whole. Axtmann measured it beside MPI_Reduce
// (Benchmarks on Juqueen, 2016). The local part is shared by the threads of a process.
#include <mpi.h>

#include <atomic>
#include <cstring>

#include "bench/operations/operation.hpp"

namespace laneway::bench {
namespace {

/// The result, and room for what a child sends.
std::size_t output_binomial_reduce(const Problem& on) { return 2 * one_block(on); }

/// Sets `sum` to `other` op `sum`, a stretch of the elements by each thread. All operators here commute.
int add_up(const Problem& on, const std::byte* other, std::byte* sum)
{
    std::atomic<int> first_error = MPI_SUCCESS;
    on.share([&](int thread, int threads) {
        const std::int64_t count = on.count;
        const std::int64_t begin = count * thread / threads;
        const std::int64_t end = count * (thread + 1) / threads;
        const auto offset = static_cast<std::size_t>(begin) * on.type.extent;
        if (begin == end) return;
        const int code =
            MPI_Reduce_local(other + offset, sum + offset, static_cast<int>(end - begin),
                             on.type.handle, on.op.handle);
        if (code != MPI_SUCCESS) first_error = code;
    });
    return first_error;
}

int call_binomial_reduce(const Problem& on, const char*, int root, const Buffers& memory)
{
    const int position = (on.rank - root + on.size) % on.size;
    const auto rank = [&](int at) { return (at + root) % on.size; };
    std::byte* const sum = memory.output;
    std::byte* const arrived = block_of(on, memory.output, 1);
    const std::byte* own = memory.input;  // Null once the first child's data are added.

    for (int step = 1; step < on.size; step *= 2) {
        if (position & step)
            return MPI_Send(own ? own : sum, on.count, on.type.handle, rank(position - step), 0,
                            on.comm);
        if (position + step >= on.size) continue;
        int code = MPI_Recv(own ? sum : arrived, on.count, on.type.handle, rank(position + step), 0,
                            on.comm, MPI_STATUS_IGNORE);
        if (code == MPI_SUCCESS) code = add_up(on, own ? own : arrived, sum);
        if (code != MPI_SUCCESS) return code;
        own = nullptr;
    }
    if (own) std::memcpy(sum, own, one_block(on) * on.type.extent);
    return MPI_SUCCESS;
}

Expected expected_binomial_reduce(const Problem& on, int root)
{
    if (on.rank != root) return anything();
    return [elements = one_block(on), sum = reduction(on, on.size)](std::size_t index) {
        return index < elements ? sum(index) : std::nullopt;
    };
}

const Registration registration_binomial_reduce({.collective = "binomial_reduce",
                                                 .reduces = true,
                                                 .rooted = true,
                                                 .has_helpers = true,
                                                 .input = one_block,
                                                 .output = output_binomial_reduce,
                                                 .fill = contribute<one_block>,
                                                 .call = call_binomial_reduce,
                                                 .expected = expected_binomial_reduce});

}  // namespace
}  // namespace laneway::bench
