// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/calls.hpp"

#include "mpi/error.hpp"
#include "own/plain.hpp"

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

namespace {

template <class Plain, class... Argument>
void serve(By by, const Plain& plain, const Argument&... argument)
{
    by == By::library ? plain.by_library(argument...) : plain(argument...);
}

}  // namespace

void by_default(const Bcast& call, const Comm& comm, By by)
{
    serve(by, plain::bcast, call.data, call.root, comm);
}

void by_default(const Scatter& call, const Comm& comm, By by)
{
    serve(by, plain::scatter, call.whole, call.mine, call.root, comm);
}

void by_default(const Gather& call, const Comm& comm, By by)
{
    serve(by, plain::gather, call.mine, call.whole, call.root, comm);
}

void by_default(const Allgather& call, const Comm& comm, By by)
{
    serve(by, plain::allgather, call.mine, call.result, comm);
}

void by_default(const Alltoall& call, const Comm& comm, By by)
{
    serve(by, plain::alltoall, call.input, call.result, comm);
}

void by_default(const Reduce& call, const Comm& comm, By by)
{
    if (comm.keeps_whole(call.op))
        return own::reduce(call.input, call.result, call.op, call.root, comm);
    serve(by, plain::reduce, call.input, call.result, call.op, call.root, comm);
}

void by_default(const Allreduce& call, const Comm& comm, By by)
{
    if (comm.keeps_whole(call.op)) return own::allreduce(call.input, call.result, call.op, comm);
    serve(by, plain::allreduce, call.input, call.result, call.op, comm);
}

void by_default(const ReduceScatterBlock& call, const Comm& comm, By by)
{
    serve(by, plain::reduce_scatter_block, call.input, call.result, call.op, comm);
}

void by_default(const Scan& call, const Comm& comm, By by)
{
    if (comm.keeps_whole(call.op)) return own::scan(call.input, call.result, call.op, comm);
    serve(by, plain::scan, call.input, call.result, call.op, comm);
}

void by_default(const Exscan& call, const Comm& comm, By by)
{
    if (comm.keeps_whole(call.op)) return own::exscan(call.input, call.result, call.op, comm);
    serve(by, plain::exscan, call.input, call.result, call.op, comm);
}

void by_default(const Barrier&, const Comm& comm, By by) { serve(by, plain::barrier, comm); }

}  // namespace laneway
