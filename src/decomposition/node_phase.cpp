// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/node_phase.hpp"

#include "messages/messages.hpp"

namespace laneway {
namespace {

/// As many lanes as the node has processes, from lane `first` on: one block a process, empty past
/// the last lane.
struct LaneRound {
    int own_lane;
    Partition part;
    std::int64_t first;

    Buffer of(const Buffer& whole) const { return whole.slice(first, part.count()); }
};

template <class Body>
void for_rounds(const Partition& part, const Decomposition& on, const Body& body)
{
    const int size = on.node.size();
    for (int lane = 0; lane < part.parts(); lane += size)
        body(LaneRound{lane + on.node.rank(), part.slice(lane, size), part.first(lane)});
}

}  // namespace

void scatter_parts(const Buffer& whole, const Partition& part, int root, const Decomposition& on)
{
    for_rounds(part, on, [&](const LaneRound& round) {
        serve(Scatterv{round.of(whole), part.block(whole, round.own_lane), round.part, root},
              on.node);
    });
}

void gather_parts(const Buffer& owned, const Buffer& whole, const Partition& part, int root,
                  const Decomposition& on)
{
    std::int64_t done = 0;
    for_rounds(part, on, [&](const LaneRound& round) {
        const std::int64_t length = part.size(round.own_lane);
        serve(Gatherv{owned.slice(done, length), round.of(whole), round.part, root}, on.node);
        done += length;
    });
}

void allgather_parts(const Buffer& whole, const Partition& part, const Decomposition& on)
{
    if (on.node.size() == 1) return;
    for_rounds(part, on, [&](const LaneRound& round) {
        serve(Allgatherv{part.block(whole, round.own_lane), round.of(whole), round.part}, on.node);
    });
}

void exchange_parts(const Buffer& whole, const Partition& part, int root, const Decomposition& on)
{
    const int self = on.node.rank(), size = on.node.size();
    Messages messages(on.node);
    for (int lane = 0; lane < part.parts(); ++lane) {
        const int owner = on.owner(lane, on.node_index());
        const Buffer block = part.block(whole, lane);
        if (owner != self && self != root) messages.receive(block, owner, lane);
        for (int step = 1; owner == self && step < size; ++step)
            if (const int peer = (self + step) % size; peer != root)
                messages.send(block, peer, lane);
    }
    messages.wait();
}

void reduce_scatter_parts(const Buffer& input, const Buffer& owned, const Partition& part,
                          MPI_Op op, const Decomposition& on)
{
    std::int64_t done = 0;
    for_rounds(part, on, [&](const LaneRound& round) {
        const std::int64_t length = part.size(round.own_lane);
        serve(ReduceScatter{round.of(input), owned.slice(done, length), round.part, op}, on.node);
        done += length;
    });
}

NodeSums::NodeSums(const Buffer& input, const Buffer& result, const Partition& part, MPI_Op op,
                   const Decomposition& on)
    : part_(part),
      on_(on),
      sums_(input)
{
    if (on.node.size() == 1) return;
    // On a node that is alone nobody serves two lanes.
    if (on.nodes() == 1 && input.data != result.data)
        sums_ = part.block(result, on.node.rank());
    else
        sums_ = owned_.emplace(owned_count(part, on), input.type).buffer();
    reduce_scatter_parts(input, sums_, part, op, on);
}

std::int64_t owned_count(const Partition& part, const Decomposition& on)
{
    std::int64_t count = 0;
    on.for_lanes([&](int lane) { count += part.size(lane); });
    return count;
}

}  // namespace laneway
