// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "data/partition.hpp"
#include "data/scratch.hpp"
#include "decomposition/components.hpp"

/// Node phases: the lanes' shares of a message, `part` with one block a lane, between the processes
/// of a node. Block j belongs to the process that serves lane j. Blocks of a `whole` stand at their
/// places in it, before and after. Where a process serves several lanes, it takes several rounds.
namespace laneway {

/// Scatters from local rank `root` of this node to the blocks' owners.
void scatter_parts(const Buffer& whole, const Partition& part, int root, const Decomposition& on);

/// Gathers from the blocks' owners, who hold theirs one after the other in `owned`, to `whole` on local
/// rank `root` of this node.
void gather_parts(const Buffer& owned, const Buffer& whole, const Partition& part, int root,
                  const Decomposition& on);

/// Allgathers from the blocks' owners to all processes of this node.
void allgather_parts(const Buffer& whole, const Partition& part, const Decomposition& on);

/// Allgathers to all except local rank `root`. That rank has the whole already, which is input there: an
/// allgather would write to it.
void exchange_parts(const Buffer& whole, const Partition& part, int root, const Decomposition& on);

/// Reduces everyone's `input` on this node, block by block, to the owners. The caller's blocks are written
/// to `owned`, one after the other (`owned_count` elements).
void reduce_scatter_parts(const Buffer& input, const Buffer& owned, const Partition& part,
                          MPI_Op op, const Decomposition& on);

/// Elements in the blocks that the calling process owns.
std::int64_t owned_count(const Partition& part, const Decomposition& on);

/// The reductions of reduce_scatter_parts(), for lanes that will bring those of all nodes to the blocks of `result`.
/// They lie where no copy is needed. A process that is alone on its node has them in its input. A node that is alone
/// has them in the result. Others are in temporary memory.
class NodeSums {
public:
    NodeSums(const Buffer& input, const Buffer& result, const Partition& part, MPI_Op op,
             const Decomposition& on);

    /// Calls `body(lane, sum of its block)` for the lanes that the calling process serves.
    template <class Body>
    void for_lanes(const Body& body) const
    {
        std::int64_t done = 0;
        on_.for_lanes([&](int lane) {
            body(lane, sums_.slice(done, part_.size(lane)));
            done += part_.size(lane);
        });
    }

private:
    const Partition& part_;
    const Decomposition& on_;
    std::optional<Scratch> owned_;
    Buffer sums_;
};

}  // namespace laneway
