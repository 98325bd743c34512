// SPDX-License-Identifier: BSD-3-Clause
#include "walks/to_root.hpp"

#include <utility>

#include "data/scratch.hpp"
#include "messages/messages.hpp"
#include "messages/pmpi.hpp"
#include "walks/folded.hpp"
#include "walks/parts.hpp"

namespace laneway {

using pmpi::copy;
using pmpi::reduce_local;

namespace {

/// Pairs of actors, neighbours first.
Phases pairs(int actor, const Folded& folded)
{
    return near_first(actor, prime_factors(folded.actors()));
}

}  // namespace

void reduce_by_pairs(const Buffer& input, const Buffer& result, MPI_Op op, int root,
                     const Comm& comm)
{
    const Order order(0, comm.size());
    const Folded folded(onto_cube(comm.size()), order, comm, root);
    const bool is_root = comm.rank() == root;
    const Scratch first(folded.acts() && !is_root ? input.count : 0, input.type);
    const Scratch second(folded.acts() ? input.count : 0, input.type);
    Buffer sum = is_root ? result : first.buffer(), room = second.buffer();
    const Buffer own = folded.take_in(input, sum, op);
    if (!folded.acts()) return;

    if (own.data != sum.data) copy(own, sum, comm);
    const Phases roots = pairs(folded.root(), folded);
    const Phases phases = folded.ranks(pairs(folded.actor(), folded));
    for (std::size_t phase = 0; phase < phases.size(); ++phase) {
        const Group& pair = phases[phase];
        const int peer = pair.member(1 - pair.place);
        Messages message(comm);
        if (pair.place != roots[phase].place) {
            message.send(sum, peer);
            return message.wait();
        }
        message.receive(room, peer);
        message.wait();
        if (pair.place == 1) {
            reduce_local(room, sum, op);
        } else {
            reduce_local(sum, room, op);
            std::swap(sum, room);
        }
    }
    if (sum.data != result.data) copy(sum, result, comm);
}

void reduce_by_halves(const Buffer& input, const Buffer& result, MPI_Op op, int root,
                      const Comm& comm)
{
    const Order order(0, comm.size());
    const Folded folded(onto_cube(comm.size()), order, comm, root);
    const bool is_root = comm.rank() == root;
    const Scratch scratch(folded.acts() && !is_root ? input.count : 0, input.type);
    const Buffer& whole = is_root ? result : scratch.buffer();
    const Buffer own = folded.take_in(input, whole, op);
    if (!folded.acts()) return;

    const Partition part = evenly(input.count, folded.actors());
    const Phases phases = folded.ranks(pairs(folded.actor(), folded));
    reduce_scatter_in_phases(own, whole, part, op, phases, comm);
    gather_in_phases(whole, part, phases, pairs(folded.root(), folded), comm);
}

}  // namespace laneway
