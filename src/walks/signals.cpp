// SPDX-License-Identifier: BSD-3-Clause
#include "walks/signals.hpp"

#include <algorithm>
#include <cstdint>

#include "data/scratch.hpp"
#include "messages/messages.hpp"
#include "walks/folded.hpp"

namespace laneway {

void barrier_dissemination(int radix, const Order& order, const Comm& comm)
{
    const int size = comm.size(), position = order.position(comm.rank());
    const Scratch signals(std::min(radix, std::max(size, 2)), MPI_BYTE);
    for (std::int64_t step = 1; step < size; step *= radix) {
        Messages messages(comm);
        for (std::int64_t digit = 1; digit < radix && digit * step < size; ++digit) {
            const int distance = static_cast<int>(digit * step);
            messages.receive(signals.buffer().slice(digit, 1),
                             order.rank((position - distance + size) % size));
            messages.send(signals.buffer().slice(0, 1), order.rank((position + distance) % size));
        }
        messages.wait();
    }
}

void barrier_doubling(const Order& order, const Comm& comm)
{
    const Folded folded(onto_cube(comm.size()), order, comm);
    const Scratch signals(2, MPI_BYTE);
    const Buffer arriving = signals.buffer().slice(0, 1), leaving = signals.buffer().slice(1, 1);
    if (!folded.acts()) {
        folded.send(leaving);
        return folded.receive(arriving);
    }
    if (folded.paired()) folded.receive(arriving);
    for (const Group& group :
         folded.ranks(near_first(folded.actor(), prime_factors(folded.actors())))) {
        const int peer = group.member(1 - group.place);
        Messages messages(comm);
        messages.receive(arriving, peer);
        messages.send(leaving, peer);
        messages.wait();
    }
    if (folded.paired()) folded.send(leaving);
}

}  // namespace laneway
