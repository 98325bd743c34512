// SPDX-License-Identifier: BSD-3-Clause
#include "core/calls.hpp"

#include "mpi/error.hpp"
#include "mpi/pmpi.hpp"

namespace laneway {

namespace {

Facts facts_of(const Buffer& data, std::int64_t count)
{
    return {.count = count, .bytes = count * size_of(data.type)};
}

}  // namespace

Facts facts_of(const Bcast& call, const Comm&) { return facts_of(call.data, call.data.count); }

Facts facts_of(const Scatter& call, const Comm&) { return facts_of(call.mine, call.mine.count); }

Facts facts_of(const Gather& call, const Comm&) { return facts_of(call.mine, call.mine.count); }

Facts facts_of(const Allgather& call, const Comm& comm)
{
    return facts_of(call.result, call.result.count / comm.size());
}

Facts facts_of(const Alltoall& call, const Comm& comm)
{
    return facts_of(call.result, call.result.count / comm.size());
}

Facts facts_of(const Barrier&, const Comm&) { return {.count = 1, .bytes = 0}; }

void native(const Bcast& call, const Comm& comm) { pmpi::bcast(call.data, call.root, comm); }

void native(const Scatter& call, const Comm& comm)
{
    pmpi::scatter(call.whole, call.mine, call.root, comm);
}

void native(const Gather& call, const Comm& comm)
{
    pmpi::gather(call.mine, call.whole, call.root, comm);
}

void native(const Allgather& call, const Comm& comm)
{
    pmpi::allgather(call.mine, call.result, comm);
}

void native(const Alltoall& call, const Comm& comm)
{
    pmpi::alltoall(call.input, call.result, comm);
}

void native(const Reduce& call, const Comm& comm)
{
    pmpi::reduce(call.input, call.result, call.op, call.root, comm);
}

void native(const Allreduce& call, const Comm& comm)
{
    pmpi::allreduce(call.input, call.result, call.op, comm);
}

void native(const ReduceScatterBlock& call, const Comm& comm)
{
    pmpi::reduce_scatter_block(call.input, call.result, call.op, comm);
}

void native(const Scan& call, const Comm& comm)
{
    pmpi::scan(call.input, call.result, call.op, comm);
}

void native(const Exscan& call, const Comm& comm)
{
    pmpi::exscan(call.input, call.result, call.op, comm);
}

void native(const Barrier&, const Comm& comm) { pmpi::barrier(comm); }

}  // namespace laneway
