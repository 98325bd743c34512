// SPDX-License-Identifier: BSD-3-Clause
#include "walks/in_turn.hpp"

#include <cstddef>

#include "mpi/messages.hpp"
#include "mpi/pmpi.hpp"
#include "mpi/scratch.hpp"

namespace laneway {
namespace {

using pmpi::copy;

constexpr int tag = 0;

}  // namespace

void scatter_in_turn(const Buffer& whole, const Buffer& mine, const Partition& part, int window,
                     const Order& order, const Comm& comm)
{
    const int root = order.rank(0);
    const Scratch ready(1, MPI_BYTE);
    Messages signals(comm), blocks(comm);
    if (comm.rank() != root) {
        blocks.receive(mine, root, tag);
        signals.send(ready.buffer(), root, tag);
        signals.wait();
        return blocks.wait();
    }
    for (int position = 1; position < order.ranks(); ++position) {
        const int to = order.rank(position);
        blocks.wait(static_cast<std::size_t>(window - 1));
        signals.receive(ready.buffer(), to, tag);
        signals.wait();
        blocks.send(part.block(whole, to), to, tag);
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
        signals.receive(go_on.buffer(), root, tag);
        signals.wait();
        blocks.send(mine, root, tag);
        return blocks.wait();
    }
    const Buffer own = part.block(whole, root);
    if (own.data != mine.data) copy(mine, own, comm);
    for (int position = 1; position < order.ranks(); ++position) {
        const int from = order.rank(position);
        blocks.wait(static_cast<std::size_t>(window - 1));
        blocks.receive(part.block(whole, from), from, tag);
        signals.send(go_on.buffer(), from, tag);
    }
    blocks.wait();
    signals.wait();
}

}  // namespace laneway
