// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/algorithm.hpp"
#include "decomposition/ordered.hpp"
#include "walks/down.hpp"
#include "walks/side_by_side.hpp"

namespace laneway {

/// Positions of the left subtree receive the left half, and exchange it with those of the right subtree. Where
/// positions are even in number, the right subtree has one more, to which the root gives the left half.
static void bcast_split_binary(const Bcast& call, const Decomposition& on, const Tunables& tunables)
{
    const int size = on.world.size(), left = (size - 1) / 2;
    if (size == 1) return;
    const Order order = order_from(call.root, on, tunables);
    const int position = order.position(on.world.rank());
    const Tree tree = tree::binary(position, size);
    const Partition halves(call.data.count, 2);
    const auto half = [&](int index) { return halves.block(call.data, index); };
    const bool has_partnerless = size % 2 == 0;

    Messages messages(on.world);
    const Links links = links_of(tree, order, on.world);
    if (position > 0) {
        const bool is_left = position <= left;
        send_down(half(is_left ? 0 : 1), tunables["segment"], links);
        const int partner = is_left ? position + left : position - left;
        const bool is_partnerless = has_partnerless && position == size - 1;
        const int peer = order.rank(is_partnerless ? 0 : partner);
        messages.receive(half(is_left ? 1 : 0), peer, links.tag);
        if (!is_partnerless) messages.send(half(is_left ? 0 : 1), peer, links.tag);
        return messages.wait();
    }
    Links to_left{.comm = on.world}, to_right{.comm = on.world};
    if (left > 0) to_left.children = {links.children.front()};
    to_right.children = {links.children.back()};
    std::array<Down, 2> down{Down(half(0), tunables["segment"], to_left),
                             Down(half(1), tunables["segment"], to_right)};
    side_by_side(down, {0, 0});
    if (has_partnerless) messages.send(half(0), order.rank(size - 1), links.tag);
    messages.wait();
}

static const Register<Bcast> entry({
    .run = bcast_split_binary,
    .flat = true,
    .tunables = {segment_tunable, order_tunable},
    .about = {.idea = "half of the message down each half of a binary tree, in segments; then "
                      "processes of both exchange their halves",
              .rounds = "log(p+1) - 1 + ceil(m/(2s))",
              .volume = "at most 3/2 m a process",
              .memory = "none",
              .source = "Pjesivac-Grbovic et al. 2007, splitted-binary tree"},
});

}  // namespace laneway
