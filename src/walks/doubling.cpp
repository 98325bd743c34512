// SPDX-License-Identifier: BSD-3-Clause
#include "walks/doubling.hpp"

#include "walks/gossip.hpp"

namespace laneway {

void allgather_doubling(const Buffer& whole, const Partition& part, const Order& order,
                        const Comm& comm)
{
    const Rounds rounds = recursive_doubling(order.position(comm.rank()), comm.size());
    allgather_in_rounds(rounds, whole, part, order, comm);
}

}  // namespace laneway
