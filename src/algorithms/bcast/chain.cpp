// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/components.hpp"
#include "mpi/messages.hpp"
#include "mpi/segments.hpp"

namespace laneway {

static void bcast_chain(const Bcast& call, const Decomposition& on, const Tunables& tunables)
{
    constexpr int tag = 0;
    const int size = on.world.size();
    const int position = (on.world.rank() - call.root + size) % size;
    const int before = (on.world.rank() - 1 + size) % size;
    const int after = (on.world.rank() + 1) % size;
    const Segments segments(call.data, tunables["segment"]);

    Messages arriving(on.world), leaving(on.world);
    if (position > 0) arriving.receive(segments[0], before, tag);
    for (int segment = 0; segment < segments.count(); ++segment) {
        arriving.wait();
        if (position > 0) arriving.receive(segments[segment + 1], before, tag);
        leaving.wait();
        if (position < size - 1) leaving.send(segments[segment], after, tag);
    }
    leaving.wait();
}

static const Register<Bcast> entry({
    .run = bcast_chain,
    .flat = true,
    .tunables = {segment_tunable},
    .about = {.idea = "segments along a chain of all ranks, from the root on",
              .rounds = "p - 2 + S",
              .volume = "m a process; m a node where ranks ascend from node to node",
              .memory = "none",
              .source = "Traeff and Hunold 2020, Section 5, the single-ported linear pipeline"},
});

}  // namespace laneway
