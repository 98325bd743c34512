// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <vector>

#include "data/recording.hpp"
#include "data/scratch.hpp"
#include "data/segments.hpp"
#include "messages/pmpi.hpp"
#include "patterns/tree.hpp"
#include "providers/providers.hpp"
#include "walks/blocks.hpp"
#include "walks/down.hpp"
#include "walks/up.hpp"

namespace laneway::ours {

using pmpi::copy;

namespace {

/// Copies the data that one process has to itself.
void keep(const Buffer& from, const Buffer& to, const Comm& comm)
{
    if (from.data != to.data) copy(from, to, comm);
}

/// A chain from rank 0 on to the last one, which is the root.
Links chain_to_last(const Comm& comm)
{
    const int rank = comm.rank();
    Links links{.comm = comm};
    if (rank + 1 < comm.size()) links.parent = rank + 1;
    if (rank > 0) links.children = {rank - 1};
    return links;
}

/// Reduces to a root between others, to which chains would bring a message from both sides. The others reduce a part
/// each, and give it to the root.
void reduce_parts(const Buffer& input, const Buffer& result, MPI_Op op, int root, const Comm& comm)
{
    const Partition others(input.count, comm.size() - 1);
    std::vector<std::int64_t> sizes;
    for (int rank = 0; rank < comm.size(); ++rank)
        sizes.push_back(rank == root ? 0 : others.size(rank < root ? rank : rank - 1));
    const Partition part(sizes);
    const Scratch mine(part.size(comm.rank()), input.type);
    serve(ReduceScatter{input, mine.buffer(), part, op}, comm);
    serve(Gatherv{mine.buffer(), result, part, root}, comm);
}

}  // namespace

bool saves_bytes()
{
    const Recording* const recording = Recording::current();
    return recording && recording->saves_bytes();
}

namespace {

/// The tree of a broadcast or a reduction as `position` sees it.
Tree tree_of(int position, int size)
{
    return saves_bytes() ? tree::chain(position, size) : tree::knomial(position, size, radix);
}

}  // namespace

void serve(const Bcast& call, const Comm& comm)
{
    if (comm.size() == 1) return;
    const Order order(call.root, comm.size());
    const Tree tree = tree_of(order.position(comm.rank()), comm.size());
    send_down(call.data, whole_message, links_of(tree, order, comm));
}

void serve(const Reduce& call, const Comm& comm)
{
    const auto& [input, result, op, root] = call;
    if (comm.size() == 1) return keep(input, result, comm);
    const int rank = comm.rank(), size = comm.size(), last = size - 1;
    const bool between = root != 0 && root != last;
    if (!saves_bytes() || root == 0 || (between && comm.keeps_whole(op))) {
        // Where the operator does not commute, the tree is in rank order, and hands its result on to the root.
        const Order order(!saves_bytes() && pmpi::is_commutative(op) ? root : 0, size);
        return reduce_up(input, result, op, whole_message, tree_of(order.position(rank), size),
                         order, root, comm);
    }
    if (between) return reduce_parts(input, result, op, root, comm);
    reduce_up(input, result, op, whole_message, chain_to_last(comm), Up::Side::left);
}

namespace {

/// Moves blocks straight between the root and everyone.
void straight(Way way, const Buffer& whole, const Buffer& mine, const Partition& part, int root,
              const Comm& comm)
{
    if (comm.size() == 1) return way.copy(whole, mine, comm);
    const Order order(root, comm.size());
    const Tree tree = tree::linear(order.position(comm.rank()), comm.size());
    walk_blocks(way, whole, mine, part, tree, order, comm);
}

/// A row of equal blocks; the root alone looks at it.
Partition blocks_of(const Buffer& whole, int root, const Comm& comm)
{
    return comm.rank() == root ? Partition(whole.count, comm.size()) : Partition(0, 0);
}

}  // namespace

void serve(const Scatterv& call, const Comm& comm)
{
    straight(outwards, call.whole, call.mine, call.part, call.root, comm);
}

void serve(const Gatherv& call, const Comm& comm)
{
    straight(inwards, call.whole, call.mine, call.part, call.root, comm);
}

void serve(const Scatter& call, const Comm& comm)
{
    straight(outwards, call.whole, call.mine, blocks_of(call.whole, call.root, comm), call.root,
             comm);
}

void serve(const Gather& call, const Comm& comm)
{
    straight(inwards, call.whole, call.mine, blocks_of(call.whole, call.root, comm), call.root,
             comm);
}

}  // namespace laneway::ours
