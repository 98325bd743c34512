// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/k_ported.hpp"
#include "collectives/algorithm.hpp"
#include "mpi/scratch.hpp"

namespace laneway {

static void gather_k_ported(const Gather& call, const Decomposition& on)
{
    const PortTree tree(call.root, on);
    const MPI_Datatype type = call.mine.type;
    const Partition blocks = tree.blocks(call.mine.count);
    const auto [first, size] = tree.below();
    const Scratch held(tree.is_holder() ? blocks.first(first + size) - blocks.first(first) : 0,
                       type);

    gather(call.mine, {held.buffer().data, blocks.size(first), type, held.buffer().extent},
           tree.holder(), on.node);
    tree.up(tree.load(blocks, held.buffer()));
    if (on.world.rank() == call.root) {
        const Datatype places = tree.places(call.mine.count, type);
        copy(held.buffer(), Buffer::of(call.whole.data, 1, places), on.world);
    }
}

static const Register<Gather> entry({
    .run = gather_k_ported,
    .memory = {.message = 1},
    .about = {.idea = "a node is one processor with k ports: its processes receive from k nodes at "
                      "once, from "
                      "each the blocks of the nodes below it; before that, gather on every node",
              .rounds = "at most 1 + 2 log_(k+1) N; at most log_(k+1) N where n < 2",
              .volume = "(p - 1) m a process; (p - n) m a node",
              .memory = "p m",
              .source = "Traeff and Hunold 2020, Section 5, k-ported gather on k lanes"},
});

}  // namespace laneway
