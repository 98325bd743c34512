// SPDX-License-Identifier: BSD-3-Clause
#include "bench/probes/grid.hpp"

#include "bench/text/words.hpp"

namespace laneway::bench {
namespace {

/// Throws Misunderstood where the ranks are no grid.
void require_grid(const Machine& machine)
{
    if (machine.nodes < 2)
        throw Misunderstood(
            "--probe: all ranks are on one node; LANEWAY_NODE_SIZE makes virtual ones");
    for (int rank = 0; rank < machine.size; ++rank)
        if (machine.node_of[static_cast<std::size_t>(rank)] != rank - rank % machine.ppn ||
            machine.size % machine.ppn != 0)
            throw Misunderstood(
                "--probe: nodes must have equally many processes, ranked consecutively");
}

}  // namespace

Grid::Grid(const Team& team)
{
    const Machine& machine = team.machine;
    require_grid(machine);
    world = Comm::split(team.own, 0, machine.rank);
    node = Comm::split(team.own, machine.rank / machine.ppn, machine.rank);
    lane = Comm::split(team.own, machine.rank % machine.ppn, machine.rank);
}

}  // namespace laneway::bench
