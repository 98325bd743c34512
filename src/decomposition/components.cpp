// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/components.hpp"

#include "decomposition/perform.hpp"
#include "mpi/scratch.hpp"

namespace laneway {
namespace {

template <class Call>
void perform_on(const Part& on, const Call& call)
{
    const Parts* const parts = on.parts();
    if (!parts) return by_default(call, on);
    const Facts facts = facts_of(call, on);
    const Choice<Call>* const choice = on.choice<Call>(facts.bytes);
    if (!choice) return by_default(call, on);
    if (!choice->algorithm) return by_default(call, on, By::library);

    const auto* algorithm = Registry<Call>::eligible(
        choice->algorithm, demanded(facts, choice->by_hand), parts->layout());
    if (!algorithm) return by_default(call, on);
    try {
        perform(*algorithm, call, Decomposition(*parts),
                algorithm == choice->algorithm ? choice->tunables : algorithm->presets);
    } catch (const NoTags&) {
        by_default(call, on);  // as all processes of this part find; nothing has begun
    }
}

}  // namespace

void bcast(const Buffer& data, int root, const Part& on) { perform_on(on, Bcast{data, root}); }

void scatter(const Buffer& whole, const Buffer& mine, int root, const Part& on)
{
    // A root's block in place is input, and stays: what algorithms bring to its place is not read.
    const bool stays = on.parts() && on.rank() == root &&
                       mine.data == whole.slice(root * mine.count, mine.count).data;
    const Scratch unread(stays ? mine.count : 0, mine.type);
    perform_on(on, Scatter{whole, stays ? unread.buffer() : mine, root});
}

void gather(const Buffer& mine, const Buffer& whole, int root, const Part& on)
{
    perform_on(on, Gather{mine, whole, root});
}

void allgather(const Buffer& mine, const Buffer& whole, const Part& on)
{
    perform_on(on, Allgather{mine, whole});
}

void allgather(const Buffer& whole, const Part& on)
{
    const std::int64_t length = whole.count / on.size();
    allgather(whole.slice(on.rank() * length, length), whole, on);
}

void alltoall(const Buffer& input, const Buffer& result, const Part& on)
{
    perform_on(on, Alltoall{input, result});
}

void reduce(const Buffer& input, const Buffer& result, MPI_Op op, int root, const Part& on)
{
    perform_on(on, Reduce{input, result, op, root});
}

void allreduce(const Buffer& input, const Buffer& result, MPI_Op op, const Part& on)
{
    perform_on(on, Allreduce{input, result, op});
}

void reduce_scatter_block(const Buffer& input, const Buffer& result, MPI_Op op, const Part& on)
{
    perform_on(on, ReduceScatterBlock{input, result, op});
}

void scan(const Buffer& input, const Buffer& result, MPI_Op op, const Part& on)
{
    perform_on(on, Scan{input, result, op});
}

void exscan(const Buffer& input, const Buffer& result, MPI_Op op, const Part& on)
{
    perform_on(on, Exscan{input, result, op});
}

void barrier(const Part& on) { perform_on(on, Barrier{}); }

}  // namespace laneway
