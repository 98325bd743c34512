// SPDX-License-Identifier: BSD-3-Clause
#include "core/calls.hpp"

#include "mpi/error.hpp"
#include "mpi/pmpi.hpp"

namespace laneway {

Facts facts_of(const Bcast& call, const Comm&) { return {.count = call.data.count}; }

Facts facts_of(const Allreduce& call, const Comm&)
{
    return {.count = call.input.count, .order_matters = !pmpi::is_commutative(call.op)};
}

Facts facts_of(const Allgather& call, const Comm& comm)
{
    return {.count = call.result.count / comm.size()};
}

void native(const Bcast& call, const Comm& comm) { pmpi::bcast(call.data, call.root, comm); }

void native(const Allreduce& call, const Comm& comm)
{
    pmpi::allreduce(call.input, call.result, call.op, comm);
}

void native(const Allgather& call, const Comm& comm)
{
    pmpi::allgather(call.mine, call.result, comm);
}

}  // namespace laneway
