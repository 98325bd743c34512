// SPDX-License-Identifier: BSD-3-Clause
// An algorithm for every collective: the library's own, with a record of its bytes. Named as
// component (LANEWAY_ALGORITHM=bcast@lane=components,...), it sees what algorithms ask of components.
#include <algorithm>

#include "components.hpp"
#include "core/algorithm.hpp"
#include "core/decomposition.hpp"
#include "recorder.hpp"

namespace laneway::trace {
namespace {

std::int64_t bytes(const Buffer& buffer) { return buffer.count * size_of(buffer.type); }

/// The part of it that is not the caller's own.
std::int64_t others(const Buffer& all, const Comm& comm)
{
    return bytes(all) / comm.size() * (comm.size() - 1);
}

/// @name Bytes sent or received, whichever is more, of a process in the best known implementation
/// @{
std::int64_t cost(const Bcast& call, const Comm&) { return bytes(call.data); }
std::int64_t cost(const Reduce& call, const Comm&) { return bytes(call.input); }
std::int64_t cost(const Scan& call, const Comm&) { return bytes(call.input); }
std::int64_t cost(const Exscan& call, const Comm&) { return bytes(call.input); }
std::int64_t cost(const Barrier&, const Comm&) { return 0; }
std::int64_t cost(const Allgather& call, const Comm& comm) { return others(call.result, comm); }
std::int64_t cost(const Alltoall& call, const Comm& comm) { return others(call.result, comm); }
std::int64_t cost(const Allreduce& call, const Comm& comm) { return 2 * others(call.input, comm); }
std::int64_t cost(const ReduceScatterBlock& call, const Comm& comm)
{
    return others(call.input, comm);
}
std::int64_t cost(const Scatter& call, const Comm& comm)
{
    return comm.rank() == call.root ? bytes(call.mine) * (comm.size() - 1) : bytes(call.mine);
}
std::int64_t cost(const Gather& call, const Comm& comm)
{
    return comm.rank() == call.root ? bytes(call.mine) * (comm.size() - 1) : bytes(call.mine);
}
/// @}

template <class Call>
void traced(const Call& call, const Decomposition& on)
{
    // The processes of a lane are on different nodes.
    const bool lane = on.nodes() > 1;
    record_component(lane ? Where::lane : Where::node, cost(call, on.world));
    native(call, on.world);
}

}  // namespace

void register_components()
{
    const About about{.idea = "", .rounds = "", .volume = "", .memory = "", .source = ""};
    [&]<class... Call>(std::tuple<Call...>*) {
        (Register<Call>({.run = traced<Call>, .about = about}, std::source_location::current()),
         ...);
    }(static_cast<Calls*>(nullptr));
}

}  // namespace laneway::trace
