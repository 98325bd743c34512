// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/probe.hpp"

#include <algorithm>
#include <optional>

#include "data/partition.hpp"
#include "decomposition/decomposition.hpp"
#include "decomposition/recorded.hpp"
#include "messages/messages.hpp"
#include "providers/plain.hpp"
#include "schedule/recorder.hpp"
#include "simulate/library_by_rules.hpp"
#include "text/text.hpp"

namespace laneway::simulate {
namespace {

Buffer buffer_of(std::size_t number, std::int64_t count)
{
    return Buffer::of(symbolic::address(number), count, MPI_INT);
}

/// Messages with the neighbours on a lane: MPI_Sendrecv where there is one of them.
void lanes(const Probe& probe, const Communicator& lane, int own)
{
    const Partition part(probe.count, probe.virtual_lanes);
    const Comm& comm = lane;
    for (int repetition = 0; repetition < probe.repetitions; ++repetition)
        for (const auto& [to, from] : probe.between->steps(comm.rank(), comm.size())) {
            Messages messages(comm);
            for (const int node : from) messages.receive(buffer_of(1, part.size(own)), node);
            for (const int node : to) messages.send(buffer_of(0, part.size(own)), node);
            messages.wait();
        }
}

/// An alltoall whose blocks make up `count` elements, and have one at least.
void alltoall(const Probe& probe, const Communicator& lane)
{
    const Comm& comm = lane;
    const std::int64_t all = std::max<std::int64_t>(1, probe.count / comm.size()) * comm.size();
    plain::serve(Alltoall{buffer_of(0, all), buffer_of(1, all)}, comm, lane.described(),
                 plain::By::native);
}

}  // namespace

Probe probe_of(const Arguments& arguments, const Job& job)
{
    const std::string pattern = arguments.text("pattern");
    if (pattern != "lanes" && pattern != "collectives")
        throw Misunderstood("--pattern: " + in_quotes(pattern) +
                            " is neither 'lanes' nor 'collectives'");
    const std::string between = arguments.text("between", node_patterns().front().name);
    if (!node_pattern(between))
        throw Misunderstood("--between: no pattern of nodes " + in_quotes(between));
    const int lanes = arguments.number("virtual-lanes", 1, 1);
    if (lanes > job.layout->lanes() || job.layout->smallest() != job.layout->largest())
        throw Misunderstood("--virtual-lanes: nodes must have as many processes, all of them");
    return {.pattern = pattern == "lanes" ? Probe::Pattern::lanes : Probe::Pattern::collectives,
            .virtual_lanes = lanes,
            .count = job.count,
            .repetitions = arguments.number("repetitions", 1, 1),
            .between = node_pattern(between),
            .collective = job.collective};
}

Recorded record(const Probe& probe, const Job& on)
{
    if (probe.pattern == Probe::Pattern::collectives && probe.collective != Alltoall::name)
        throw Misunderstood("--collective: " + in_quotes(probe.collective) +
                            " is not among those of this pattern: alltoall");
    const bool described = probe.pattern == Probe::Pattern::collectives && !on.library.empty();
    const LibraryRules rules = described ? rules_of_library(on.library) : LibraryRules();
    std::optional<LibraryByRules> library;
    if (described) library.emplace(rules, on.layout);

    Recorded result{};
    result.bytes = probe.count * size_of(MPI_INT);
    result.buffers = 2 * result.bytes;
    for (int rank = 0; rank < on.layout->ranks(); ++rank) {
        const Parts parts(on.layout, rank, false, {library ? &*library : nullptr, on.short_too});
        constexpr std::size_t buffers = 2;
        Recorder recorder(parts.world, buffers, Decomposition(parts).tags());
        const int own = parts.node.rank();
        if (own < probe.virtual_lanes) {
            if (probe.pattern == Probe::Pattern::lanes)
                lanes(probe, parts.lane(own), own);
            else
                alltoall(probe, parts.lane(own));
        }
        result.schedule.add(recorder.take());
    }
    if (library) {
        result.served_by = library->served_by();
        result.rules.assign(library->decided().begin(), library->decided().end());
    }
    result.schedule.match();
    return result;
}

}  // namespace laneway::simulate
