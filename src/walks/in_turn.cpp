// SPDX-License-Identifier: BSD-3-Clause
#include "walks/in_turn.hpp"

#include <cstddef>

#include "data/scratch.hpp"
#include "messages/messages.hpp"
#include "messages/pmpi.hpp"

namespace laneway {

using pmpi::copy;

void scatter_in_turn(const Buffer& whole, const Buffer& mine, const Partition& part, int window,
                     const Order& order, const Comm& comm)
{
    const int root = order.rank(0);
    const Scratch ready(1, MPI_BYTE);
    Messages signals(comm), blocks(comm);
    if (comm.rank() != root) {
        blocks.receive(mine, root);
        signals.send(ready.buffer(), root);
        signals.wait();
        return blocks.wait();
    }
    for (int position = 1; position < order.ranks(); ++position) {
        const int to = order.rank(position);
        blocks.wait(static_cast<std::size_t>(window - 1));
        signals.receive(ready.buffer(), to);
        signals.wait();
        blocks.send(part.block(whole, to), to);
    }
    const Buffer own = part.block(whole, root);
    if (own.data != mine.data) copy(own, mine, comm);
    blocks.wait();
}

void gather_in_turn(const Buffer& mine, const Buffer& whole, const Partition& part, int window,
                    const Order& order, const Comm& comm)
{
    const int root = order.rank(0);
    const Scratch go_on(1, MPI_BYTE);
    Messages signals(comm), blocks(comm);
    if (comm.rank() != root) {
        signals.receive(go_on.buffer(), root);
        signals.wait();
        blocks.send(mine, root);
        return blocks.wait();
    }
    const Buffer own = part.block(whole, root);
    if (own.data != mine.data) copy(mine, own, comm);
    for (int position = 1; position < order.ranks(); ++position) {
        const int from = order.rank(position);
        blocks.wait(static_cast<std::size_t>(window - 1));
        blocks.receive(part.block(whole, from), from);
        signals.send(go_on.buffer(), from);
    }
    blocks.wait();
    signals.wait();
}

}  // namespace laneway
