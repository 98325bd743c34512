// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/prefix.hpp"

#include "data/scratch.hpp"
#include "decomposition/node_phase.hpp"
#include "messages/messages.hpp"

namespace laneway {

void lane_prefix(const Buffer& input, const Buffer& before, MPI_Op op, const Decomposition& on)
{
    const Partition part = on.by_lanes(input.count);
    const Scratch owned(owned_count(part, on), input.type);

    reduce_scatter_parts(input, owned.buffer(), part, op, on);
    std::int64_t done = 0;
    on.for_lanes([&](int lane) {
        const Buffer partial = owned.buffer().slice(done, part.size(lane));
        serve(Exscan{partial, part.block(before, lane), op}, on.lane(lane));
        done += part.size(lane);
    });
    if (on.node_index() > 0) allgather_parts(before, part, on);
}

void prefix_by_shares(const Buffer& input, const Buffer& result, bool inclusive, MPI_Op op,
                      const Decomposition& on)
{
    const int size = on.node.size(), self = on.node.rank(), node = on.node_index();
    const Partition part = on.by_lanes(input.count);
    const std::int64_t owned = owned_count(part, on);
    // Each process's input to the shares that this one owns; then the reduction of all up to that process.
    const Scratch sums(owned * size, input.type), of_earlier(owned, input.type);
    const auto sum = [&](int local) { return sums.buffer().slice(local * owned, owned); };
    const auto with_owned = [&](const auto& body) {  // body(block, first owned element)
        std::int64_t first = 0;
        on.for_lanes([&](int lane) {
            body(lane, first);
            first += part.size(lane);
        });
    };
    const auto piece = [&](const Buffer& whole, int lane, std::int64_t first) {
        return whole.slice(first, part.size(lane));
    };

    Messages messages(on.node);
    with_owned([&](int lane, std::int64_t first) {
        for (int step = 1; step < size; ++step) {
            const int from = (self - step + size) % size;
            messages.receive(piece(sum(from), lane, first), from, lane);
        }
    });
    for (int lane = 0; lane < on.lanes(); ++lane)
        if (const int owner = on.owner(lane, node); owner != self)
            messages.send(part.block(input, lane), owner, lane);
    with_owned([&](int lane, std::int64_t first) {
        copy(part.block(input, lane), piece(sum(self), lane, first), on.world);
    });
    messages.wait();
    for (int local = 1; local < size; ++local) reduce_local(sum(local - 1), sum(local), op);

    with_owned([&](int lane, std::int64_t first) {
        serve(
            Exscan{piece(sum(size - 1), lane, first), piece(of_earlier.buffer(), lane, first), op},
            on.lane(lane));
    });

    for (int lane = 0; lane < on.lanes(); ++lane)
        if (const int owner = on.owner(lane, node);
            owner != self && (inclusive || on.world.rank() > 0))
            messages.receive(part.block(result, lane), owner, lane);
    for (int step = 1; step <= size; ++step) {
        const int to = (self + step) % size, last = inclusive ? to : to - 1;
        if (last < 0 && node == 0) continue;
        if (last >= 0 && node > 0) reduce_local(of_earlier.buffer(), sum(last), op);
        const Buffer its = last < 0 ? of_earlier.buffer() : sum(last);
        with_owned([&](int lane, std::int64_t first) {
            if (to == self)
                copy(piece(its, lane, first), part.block(result, lane), on.world);
            else
                messages.send(piece(its, lane, first), to, lane);
        });
    }
    messages.wait();
}

void leader_prefix(const Buffer& node_result, const Buffer& before, MPI_Op op,
                   const Decomposition& on)
{
    // Wherever nodes are equal, the last process owns the last lane.
    const int lane = on.leading_lane(on.lanes() - 1);
    const int leader = on.owner(lane, on.node_index()), last = on.node.size() - 1;
    const bool leads = on.node.rank() == leader;

    const Scratch handed(leads && leader != last ? node_result.count : 0, node_result.type);
    if (leader != last) {
        Messages message(on.node);
        if (on.node.rank() == last) message.send(node_result, leader);
        if (leads) message.receive(handed.buffer(), last);
        message.wait();
    }
    if (leads)
        serve(Exscan{leader == last ? node_result : handed.buffer(), before, op}, on.lane(lane));
    if (on.node_index() > 0) serve(Bcast{before, leader}, on.node);
}

void exscan_on_node(const Exscan& call, const Buffer& before, const Decomposition& on)
{
    serve(Exscan{call.input, call.result, call.op}, on.node);
    if (on.node_index() == 0) return;
    if (on.node.rank() == 0)
        copy(before, call.result, on.world);
    else
        reduce_local(before, call.result, call.op);
}

}  // namespace laneway
