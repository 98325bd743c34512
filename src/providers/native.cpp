// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include "data/scratch.hpp"
#include "library/error.hpp"
#include "library/numbers.hpp"
#include "library/operators.hpp"
#include "library/quirks.hpp"
#include "library/real.hpp"
#include "messages/pmpi.hpp"
#include "providers/providers.hpp"

namespace laneway::native {
namespace {

using pmpi::copy;

/// A partition as the vector collectives want it.
class CountsAndDisplacements {
public:
    explicit CountsAndDisplacements(const Partition& part)
    {
        for (int rank = 0; rank < part.parts(); ++rank) {
            counts_.push_back(narrow(part.size(rank)));
            displacements_.push_back(narrow(part.first(rank)));
        }
    }

    Numbers counts() const { return counts_.data(); }
    Numbers displacements() const { return displacements_.data(); }

private:
    std::vector<int> counts_;
    std::vector<int> displacements_;
};

/// `mine`, or MPI_IN_PLACE where it stands at its place `own` already.
void* in_place_or(const Buffer& mine, const Buffer& own)
{
    return mine.data == own.data ? MPI_IN_PLACE : mine.data;
}

Buffer own_block(const Buffer& whole, const Comm& comm)
{
    const std::int64_t length = whole.count / comm.size();
    return whole.slice(comm.rank() * length, length);
}

bool overruns_temporaries(MPI_Op op, MPI_Datatype type)
{
    return quirks().overruns_temporaries && !pmpi::is_commutative(op) &&
           extent_of(type) > true_extent_of(type).extent;
}

/// Reduce-scatter block by block, in rank order.
void reduce_each(const Buffer& input, const Buffer& result, const Partition& part, MPI_Op op,
                 const Comm& comm)
{
    for (int rank = 0; rank < comm.size(); ++rank)
        if (part.size(rank) > 0) serve(Reduce{part.block(input, rank), result, op, rank}, comm);
}

bool loses_result_at(const void* address)
{
    return address == MPI_BOTTOM && quirks().loses_result_at_bottom;
}

bool mistakes_in_place_at(int root) { return root != 0 && quirks().mistakes_in_place; }

/// Whether the library truncates messages of the type, in gather and scatter.
bool truncates(MPI_Datatype type)
{
    return quirks().truncates_padded_pairs && is_named(type) && size_of(type) != extent_of(type);
}

}  // namespace

void serve(const Bcast& call, const Comm& comm)
{
    const auto& [data, root] = call;
    check(real::Bcast(data.data, narrow(data.count), data.type, root, comm.handle()));
}

void serve(const Reduce& call, const Comm& comm)
{
    const auto& [input, result, op, root] = call;
    if (comm.rank() == root && input.count > 0 && loses_result_at(result.data)) {
        const Scratch elsewhere(input.count, input.type);
        serve(Reduce{input, elsewhere.buffer(), op, root}, comm);
        return copy(elsewhere.buffer(), result, comm);
    }
    const bool in_place = comm.rank() == root && input.data == result.data;
    if (in_place && input.count > 0 && mistakes_in_place_at(root)) {
        const Scratch elsewhere(input.count, input.type);
        copy(input, elsewhere.buffer(), comm);
        return serve(Reduce{elsewhere.buffer(), result, op, root}, comm);
    }
    check(real::Reduce(in_place ? MPI_IN_PLACE : input.data, result.data, narrow(input.count),
                       input.type, op, root, comm.handle()));
}

void serve(const Allreduce& call, const Comm& comm)
{
    const auto& [input, result, op] = call;
    check(real::Allreduce(in_place_or(input, result), result.data, narrow(input.count), input.type,
                          op, comm.handle()));
}

void serve(const Scatter& call, const Comm& comm)
{
    const auto& [whole, mine, root] = call;
    if (truncates(mine.type))
        return serve(Scatterv{whole, mine, Partition(mine.count * comm.size(), comm.size()), root},
                     comm);
    const bool at_root = comm.rank() == root;
    check(real::Scatter(whole.data, narrow(whole.count / comm.size()), whole.type,
                        at_root ? in_place_or(mine, own_block(whole, comm)) : mine.data,
                        narrow(mine.count), mine.type, root, comm.handle()));
}

void serve(const Scatterv& call, const Comm& comm)
{
    const auto& [whole, mine, part, root] = call;
    const CountsAndDisplacements layout(part);
    const Buffer own = part.block(whole, comm.rank());
    check(real::Scatterv(whole.data, layout.counts(), layout.displacements(), whole.type,
                         comm.rank() == root ? in_place_or(mine, own) : mine.data,
                         narrow(mine.count), mine.type, root, comm.handle()));
}

void serve(const Gather& call, const Comm& comm)
{
    const auto& [mine, whole, root] = call;
    if (truncates(mine.type))
        return serve(Gatherv{mine, whole, Partition(mine.count * comm.size(), comm.size()), root},
                     comm);
    const bool at_root = comm.rank() == root;
    check(real::Gather(at_root ? in_place_or(mine, own_block(whole, comm)) : mine.data,
                       narrow(mine.count), mine.type, whole.data, narrow(whole.count / comm.size()),
                       whole.type, root, comm.handle()));
}

void serve(const Gatherv& call, const Comm& comm)
{
    const auto& [mine, whole, part, root] = call;
    const CountsAndDisplacements layout(part);
    const Buffer own = part.block(whole, comm.rank());
    check(real::Gatherv(comm.rank() == root ? in_place_or(mine, own) : mine.data,
                        narrow(mine.count), mine.type, whole.data, layout.counts(),
                        layout.displacements(), whole.type, root, comm.handle()));
}

void serve(const Allgather& call, const Comm& comm)
{
    const auto& [mine, whole] = call;
    check(real::Allgather(in_place_or(mine, own_block(whole, comm)), narrow(mine.count), mine.type,
                          whole.data, narrow(whole.count / comm.size()), whole.type,
                          comm.handle()));
}

void serve(const Allgatherv& call, const Comm& comm)
{
    const auto& [mine, whole, part] = call;
    const CountsAndDisplacements layout(part);
    check(real::Allgatherv(in_place_or(mine, part.block(whole, comm.rank())), narrow(mine.count),
                           mine.type, whole.data, layout.counts(), layout.displacements(),
                           whole.type, comm.handle()));
}

void serve(const Alltoall& call, const Comm& comm)
{
    const auto& [input, result] = call;
    check(real::Alltoall(in_place_or(input, result), narrow(input.count / comm.size()), input.type,
                         result.data, narrow(result.count / comm.size()), result.type,
                         comm.handle()));
}

void serve(const Alltoallv& call, const Comm& comm)
{
    const auto& [input, input_part, result, result_part, of_node, longest, passing] = call;
    const CountsAndDisplacements from(input_part), to(result_part);
    check(real::Alltoallv(input.data, from.counts(), from.displacements(), input.type, result.data,
                          to.counts(), to.displacements(), result.type, comm.handle()));
}

void serve(const ReduceScatter& call, const Comm& comm)
{
    const auto& [input, result, part, op] = call;
    if (overruns_temporaries(op, input.type)) return reduce_each(input, result, part, op, comm);
    check(real::Reduce_scatter(input.data, result.data, CountsAndDisplacements(part).counts(),
                               input.type, op, comm.handle()));
}

void serve(const ReduceScatterBlock& call, const Comm& comm)
{
    const auto& [input, result, op] = call;
    if (overruns_temporaries(op, input.type))
        return reduce_each(input, result, Partition(input.count, comm.size()), op, comm);
    check(real::Reduce_scatter_block(in_place_or(input, result), result.data, narrow(result.count),
                                     input.type, op, comm.handle()));
}

void serve(const Scan& call, const Comm& comm)
{
    const auto& [input, result, op] = call;
    check(real::Scan(in_place_or(input, result), result.data, narrow(input.count), input.type, op,
                     comm.handle()));
}

void serve(const Exscan& call, const Comm& comm)
{
    const auto& [input, result, op] = call;
    check(real::Exscan(in_place_or(input, result), result.data, narrow(input.count), input.type, op,
                       comm.handle()));
}

void serve(const Barrier&, const Comm& comm) { check(real::Barrier(comm.handle())); }

}  // namespace laneway::native
