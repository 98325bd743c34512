// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/pmpi.hpp"

#include <climits>
#include <vector>

#include "mpi/error.hpp"
#include "mpi/operators.hpp"
#include "mpi/packing.hpp"
#include "mpi/quirks.hpp"
#include "mpi/real.hpp"
#include "mpi/recording.hpp"
#include "mpi/scratch.hpp"
#include "mpi/users.hpp"

namespace laneway::pmpi {
namespace {

int narrow(std::int64_t count)
{
    if (count > INT_MAX) throw Error(MPI_ERR_COUNT);
    return static_cast<int>(count);
}

/// A partition as the vector collectives want it.
struct Layout {
    std::vector<int> counts;
    std::vector<int> displacements;

    explicit Layout(const Partition& part)
    {
        for (int rank = 0; rank < part.parts(); ++rank) {
            counts.push_back(narrow(part.size(rank)));
            displacements.push_back(narrow(part.first(rank)));
        }
    }
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
    return quirks().overruns_temporaries && !is_commutative(op) &&
           extent_of(type) > true_extent_of(type).extent;
}

/// Reduce-scatter block by block, in rank order.
void reduce_each(const Buffer& input, const Buffer& result, const Partition& part, MPI_Op op,
                 const Comm& comm)
{
    for (int rank = 0; rank < comm.size(); ++rank)
        if (part.size(rank) > 0) reduce(part.block(input, rank), result, op, rank, comm);
}

bool loses_result_at(const void* address)
{
    return address == MPI_BOTTOM && quirks().loses_result_at_bottom;
}

bool mistakes_in_place_at(int root) { return root != 0 && quirks().mistakes_in_place; }

/// In gather and scatter.
bool truncates(MPI_Datatype type)
{
    return quirks().truncates_padded_pairs && is_named(type) && size_of(type) != extent_of(type);
}

}  // namespace

bool is_commutative(MPI_Op op)
{
    if (is_predefined(op)) return true;
    int commutative = 0;
    check(PMPI_Op_commutative(op, &commutative));
    return commutative != 0;
}

void bcast(const Buffer& data, int root, const Comm& comm)
{
    check(real::Bcast(data.data, narrow(data.count), data.type, root, comm.handle()));
}

void reduce(const Buffer& input, const Buffer& result, MPI_Op op, int root, const Comm& comm)
{
    if (comm.rank() == root && input.count > 0 && loses_result_at(result.data)) {
        const Scratch elsewhere(input.count, input.type);
        reduce(input, elsewhere.buffer(), op, root, comm);
        return copy(elsewhere.buffer(), result, comm);
    }
    const bool in_place = comm.rank() == root && input.data == result.data;
    if (in_place && input.count > 0 && mistakes_in_place_at(root)) {
        const Scratch elsewhere(input.count, input.type);
        copy(input, elsewhere.buffer(), comm);
        return reduce(elsewhere.buffer(), result, op, root, comm);
    }
    check(real::Reduce(in_place ? MPI_IN_PLACE : input.data, result.data, narrow(input.count),
                       input.type, op, root, comm.handle()));
}

void allreduce(const Buffer& input, const Buffer& result, MPI_Op op, const Comm& comm)
{
    check(real::Allreduce(in_place_or(input, result), result.data, narrow(input.count), input.type,
                          op, comm.handle()));
}

void scatter(const Buffer& whole, const Buffer& mine, int root, const Comm& comm)
{
    if (truncates(mine.type))
        return scatterv(whole, mine, Partition(mine.count * comm.size(), comm.size()), root, comm);
    const bool at_root = comm.rank() == root;
    check(real::Scatter(whole.data, narrow(whole.count / comm.size()), whole.type,
                        at_root ? in_place_or(mine, own_block(whole, comm)) : mine.data,
                        narrow(mine.count), mine.type, root, comm.handle()));
}

void scatterv(const Buffer& whole, const Buffer& mine, const Partition& part, int root,
              const Comm& comm)
{
    const Layout layout(part);
    const Buffer own = part.block(whole, comm.rank());
    check(real::Scatterv(whole.data, layout.counts.data(), layout.displacements.data(), whole.type,
                         comm.rank() == root ? in_place_or(mine, own) : mine.data,
                         narrow(mine.count), mine.type, root, comm.handle()));
}

void gather(const Buffer& mine, const Buffer& whole, int root, const Comm& comm)
{
    if (truncates(mine.type))
        return gatherv(mine, whole, Partition(mine.count * comm.size(), comm.size()), root, comm);
    const bool at_root = comm.rank() == root;
    check(real::Gather(at_root ? in_place_or(mine, own_block(whole, comm)) : mine.data,
                       narrow(mine.count), mine.type, whole.data, narrow(whole.count / comm.size()),
                       whole.type, root, comm.handle()));
}

void gatherv(const Buffer& mine, const Buffer& whole, const Partition& part, int root,
             const Comm& comm)
{
    const Layout layout(part);
    const Buffer own = part.block(whole, comm.rank());
    check(real::Gatherv(comm.rank() == root ? in_place_or(mine, own) : mine.data,
                        narrow(mine.count), mine.type, whole.data, layout.counts.data(),
                        layout.displacements.data(), whole.type, root, comm.handle()));
}

void allgather(const Buffer& mine, const Buffer& whole, const Comm& comm)
{
    check(real::Allgather(in_place_or(mine, own_block(whole, comm)), narrow(mine.count), mine.type,
                          whole.data, narrow(whole.count / comm.size()), whole.type,
                          comm.handle()));
}

void allgatherv(const Buffer& mine, const Buffer& whole, const Partition& part, const Comm& comm)
{
    const Layout layout(part);
    check(real::Allgatherv(in_place_or(mine, part.block(whole, comm.rank())), narrow(mine.count),
                           mine.type, whole.data, layout.counts.data(), layout.displacements.data(),
                           whole.type, comm.handle()));
}

void alltoall(const Buffer& input, const Buffer& result, const Comm& comm)
{
    check(real::Alltoall(in_place_or(input, result), narrow(input.count / comm.size()), input.type,
                         result.data, narrow(result.count / comm.size()), result.type,
                         comm.handle()));
}

void alltoallv(const Buffer& input, const Partition& input_part, const Buffer& result,
               const Partition& result_part, const Comm& comm)
{
    const Layout from(input_part), to(result_part);
    check(real::Alltoallv(input.data, from.counts.data(), from.displacements.data(), input.type,
                          result.data, to.counts.data(), to.displacements.data(), result.type,
                          comm.handle()));
}

void reduce_scatter(const Buffer& input, const Buffer& result, const Partition& part, MPI_Op op,
                    const Comm& comm)
{
    if (overruns_temporaries(op, input.type)) return reduce_each(input, result, part, op, comm);
    check(real::Reduce_scatter(input.data, result.data, Layout(part).counts.data(), input.type, op,
                               comm.handle()));
}

void reduce_scatter_block(const Buffer& input, const Buffer& result, MPI_Op op, const Comm& comm)
{
    if (overruns_temporaries(op, input.type))
        return reduce_each(input, result, Partition(input.count, comm.size()), op, comm);
    check(real::Reduce_scatter_block(in_place_or(input, result), result.data, narrow(result.count),
                                     input.type, op, comm.handle()));
}

void scan(const Buffer& input, const Buffer& result, MPI_Op op, const Comm& comm)
{
    check(real::Scan(in_place_or(input, result), result.data, narrow(input.count), input.type, op,
                     comm.handle()));
}

void exscan(const Buffer& input, const Buffer& result, MPI_Op op, const Comm& comm)
{
    check(real::Exscan(in_place_or(input, result), result.data, narrow(input.count), input.type, op,
                       comm.handle()));
}

void barrier(const Comm& comm) { check(real::Barrier(comm.handle())); }

int reduced(const void* left, void* result, int count, MPI_Datatype type, MPI_Op op)
{
    // All elements of a type without data or extent lie at one address, which MPICH takes for aliasing.
    if (left == result && size_of(type) == 0) return MPI_SUCCESS;
    int code = MPI_SUCCESS;
    users::keep([&] { code = PMPI_Reduce_local(left, result, count, type, op); });
    return code;
}

void reduce_local(const Buffer& left, const Buffer& result, MPI_Op op)
{
    if (Recording* const recording = Recording::current()) return recording->reduce(left, result);
    check(reduced(left.data, result.data, narrow(result.count), result.type, op));
}

void copy(const Buffer& from, const Buffer& to, const Comm& comm)
{
    if (Recording* const recording = Recording::current()) return recording->copy(from, to);
    if (const auto code = copied(from, to, comm.carrier())) return check(*code);
    const int tag = comm.tag_of(0);
    const int self = comm.world_rank(comm.rank());
    check(PMPI_Sendrecv(from.data, narrow(from.count), from.type, self, tag, to.data,
                        narrow(to.count), to.type, self, tag, comm.carrier(), MPI_STATUS_IGNORE));
}

}  // namespace laneway::pmpi
