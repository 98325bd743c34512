// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/k_ported.hpp"

#include <algorithm>

#include "mpi/messages.hpp"
#include "mpi/partition.hpp"

namespace laneway {

void broadcast_whole(const Bcast& call, const Decomposition& on)
{
    const auto [root_node, root_local] = on.locate(call.root);
    const int nodes = on.nodes(), node = on.node_index();
    const int self = (node - root_node + nodes) % nodes;  // nodes are counted from the root's on
    const auto process = [&, root = root_node](int port, int position) {
        const int at = (root + position) % nodes;
        return on.members(at)[static_cast<std::size_t>(on.owner(port, at))];
    };

    if (self == 0) bcast(call.data, root_local, on.node);
    Messages messages(on.world);
    // Of the nodes [first, first + size), this one among them, the first has the message.
    for (int first = 0, size = nodes; size > 1;) {
        const Partition part(size, std::min(size, on.lanes() + 1));
        int mine = 0;
        while (self >= first + part.first(mine + 1)) ++mine;
        const int head = first + static_cast<int>(part.first(mine));

        for (int port = 0; self == first && port < part.parts() - 1; ++port)
            if (on.serves(port))
                messages.send(call.data,
                              process(port, first + static_cast<int>(part.first(port + 1))), port);
        if (mine > 0 && self == head) {
            const int port = mine - 1;
            if (on.serves(port)) messages.receive(call.data, process(port, first), port);
            messages.wait();
            bcast(call.data, on.owner(port, node), on.node);
        }
        messages.wait();
        first = head;
        size = static_cast<int>(part.size(mine));
    }
}

}  // namespace laneway
