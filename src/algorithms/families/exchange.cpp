// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/exchange.hpp"

#include <algorithm>
#include <deque>
#include <vector>

#include "data/partition.hpp"
#include "data/scratch.hpp"
#include "messages/exchange.hpp"
#include "messages/messages.hpp"

namespace laneway {
namespace {

/// The matrices of this node, and how they are cut.
class Matrices {
public:
    /// The matrices for and from nodes `first` to `last` - 1. They have a stretch of `length` elements of every block;
    /// a block has `stride`.
    Matrices(std::int64_t length, std::int64_t stride, int first, int last,
             const Decomposition& on);

    /// The elements that a lane takes from this node to each of these; as many as it brings from there.
    Partition on_lane(int lane) const;

    /// Elements that the calling process takes to its lanes.
    std::int64_t owned() const;

    /// Brings, on this node, everyone's row of blocks, in rank order, to the owners of the lanes. They
    /// hold the shares of their lanes one after the other, ordered by target node.
    void collect(const Buffer& row, const Buffer& shares) const;
    /// Brings the shares that have come, ordered by node of origin, to everyone's row.
    void deliver(const Buffer& shares, const Buffer& row) const;

private:
    /// The pieces that a row has in common with a lane's shares, and where they stand in both.
    struct Pieces {
        std::vector<int> lengths, in_row, in_shares;
    };
    Pieces line(int local, int lane) const;
    Pieces column(int local, int lane) const;
    void append(Pieces& pieces, std::int64_t block, int rank, int node, int lane,
                std::int64_t before) const;

    template <class PiecesOf, class OfRow, class OfShares>
    void for_pieces(const PiecesOf& pieces_of, const OfRow& of_row,
                    const OfShares& of_shares) const;

    const Partition& for_node(int node) const
    {
        return by_node_[static_cast<std::size_t>(node - first_)];
    }

    std::int64_t length_, stride_;
    int first_, last_;
    const Decomposition& on_;
    std::vector<Partition> by_node_;  ///< the lanes' shares of the matrix for each of the nodes
};

Matrices::Matrices(std::int64_t length, std::int64_t stride, int first, int last,
                   const Decomposition& on)
    : length_(length),
      stride_(stride),
      first_(first),
      last_(last),
      on_(on)
{
    for (int node = first; node < last; ++node) {
        const auto blocks = static_cast<std::int64_t>(on.members(node).size()) * on.node.size();
        by_node_.push_back(on.by_lanes(blocks * length, on.weights_between(on.node_index(), node)));
    }
}

Partition Matrices::on_lane(int lane) const
{
    std::vector<std::int64_t> sizes;
    for (const Partition& shares : by_node_) sizes.push_back(shares.size(lane));
    return Partition(sizes);
}

std::int64_t Matrices::owned() const
{
    std::int64_t count = 0;
    on_.for_lanes([&](int lane) { count += on_lane(lane).count(); });
    return count;
}

/// Appends the part of a block that lies in the share of `lane`. The block is for or from `rank` of
/// `node`, and begins `block` elements from the start of the matrix. The shares for earlier nodes have
/// `before` elements.
void Matrices::append(Pieces& pieces, std::int64_t block, int rank, int node, int lane,
                      std::int64_t before) const
{
    const Partition& shares = for_node(node);
    const std::int64_t first = std::max(shares.first(lane), block);
    const std::int64_t last = std::min(shares.first(lane + 1), block + length_);
    if (first >= last) return;
    pieces.lengths.push_back(static_cast<int>(last - first));
    pieces.in_row.push_back(static_cast<int>(rank * stride_ + first - block));
    pieces.in_shares.push_back(static_cast<int>(before + first - shares.first(lane)));
}

/// The pieces of the row that local process `local` sends: its line of the matrix for every node.
Matrices::Pieces Matrices::line(int local, int lane) const
{
    Pieces pieces;
    std::int64_t before = 0;
    for (int node = first_; node < last_; ++node) {
        const auto& targets = on_.members(node);
        std::int64_t block = local * static_cast<std::int64_t>(targets.size()) * length_;
        for (const int rank : targets) {
            append(pieces, block, rank, node, lane, before);
            block += length_;
        }
        before += for_node(node).size(lane);
    }
    return pieces;
}

/// The pieces of the row that local process `local` receives: its column of the matrix from every node.
Matrices::Pieces Matrices::column(int local, int lane) const
{
    Pieces pieces;
    std::int64_t before = 0;
    for (int node = first_; node < last_; ++node) {
        std::int64_t block = local * length_;
        for (const int rank : on_.members(node)) {
            append(pieces, block, rank, node, lane, before);
            block += on_.node.size() * length_;
        }
        before += for_node(node).size(lane);
    }
    return pieces;
}

/// Calls `of_row(pieces, lane)` for the pieces that the caller's row has in common with each lane's
/// shares. Calls `of_shares(pieces, local, lane, first)` for the pieces that the shares that it owns,
/// which begin at `first`, have in common with each row of its node.
template <class PiecesOf, class OfRow, class OfShares>
void Matrices::for_pieces(const PiecesOf& pieces_of, const OfRow& of_row,
                          const OfShares& of_shares) const
{
    std::int64_t first = 0;
    for (int lane = 0; lane < on_.lanes(); ++lane) {
        if (const Pieces mine = pieces_of(on_.node.rank(), lane); !mine.lengths.empty())
            of_row(mine, lane);
        if (!on_.serves(lane)) continue;
        for (int local = 0; local < on_.node.size(); ++local)
            if (const Pieces theirs = pieces_of(local, lane); !theirs.lengths.empty())
                of_shares(theirs, local, lane, first);
        first += on_lane(lane).count();
    }
}

/// Elements in pieces, as one element of a type; a single piece as it is. The types live as long as this object.
class InPieces {
public:
    Buffer of(const Buffer& all, const std::vector<int>& lengths, const std::vector<int>& places)
    {
        if (lengths.size() == 1) return all.slice(places.front(), lengths.front());
        types_.push_back(Datatype::indexed(lengths, places, all.type));
        return Buffer::of(all.data, 1, types_.back());
    }

private:
    std::vector<Datatype> types_;
};

void Matrices::collect(const Buffer& row, const Buffer& shares) const
{
    InPieces in_pieces;
    Messages messages(on_.node);
    for_pieces([&](int local, int lane) { return line(local, lane); },
               [&](const Pieces& mine, int lane) {
                   messages.send(in_pieces.of(row, mine.lengths, mine.in_row),
                                 on_.owner(lane, on_.node_index()), lane);
               },
               [&](const Pieces& theirs, int local, int lane, std::int64_t first) {
                   messages.receive(
                       in_pieces.of(shares.slice(first, 0), theirs.lengths, theirs.in_shares),
                       local, lane);
               });
    messages.wait();
}

void Matrices::deliver(const Buffer& shares, const Buffer& row) const
{
    InPieces in_pieces;
    Messages messages(on_.node);
    for_pieces([&](int local, int lane) { return column(local, lane); },
               [&](const Pieces& mine, int lane) {
                   messages.receive(in_pieces.of(row, mine.lengths, mine.in_row),
                                    on_.owner(lane, on_.node_index()), lane);
               },
               [&](const Pieces& theirs, int local, int lane, std::int64_t first) {
                   messages.send(
                       in_pieces.of(shares.slice(first, 0), theirs.lengths, theirs.in_shares),
                       local, lane);
               });
    messages.wait();
}

}  // namespace

void exchange(const Alltoall& call, const Decomposition& on)
{
    const std::int64_t block = call.result.count / on.world.size();
    const Matrices matrices(block, block, 0, on.nodes(), on);
    const Scratch leaving(matrices.owned(), call.result.type);
    const Scratch come(matrices.owned(), call.result.type);

    matrices.collect(call.input, leaving.buffer());
    std::int64_t done = 0;
    on.for_lanes([&](int lane) {
        const Partition nodes = matrices.on_lane(lane);
        serve(Alltoallv{leaving.buffer().slice(done, nodes.count()), nodes,
                        come.buffer().slice(done, nodes.count()), nodes},
              on.lane(lane));
        done += nodes.count();
    });
    matrices.deliver(come.buffer(), call.result);
}

void exchange_with(int to, int from, const Alltoall& call, std::int64_t length, std::int64_t stride,
                   const Decomposition& on)
{
    const Matrices theirs(length, stride, to, to + 1, on);
    const Matrices ours(length, stride, from, from + 1, on);
    const Scratch leaving(theirs.owned(), call.result.type), come(ours.owned(), call.result.type);

    theirs.collect(call.input, leaving.buffer());
    std::int64_t left = 0, arrived = 0;
    std::deque<Exchange> lanes;
    on.for_lanes([&](int lane) {
        const std::int64_t out = theirs.on_lane(lane).count(), in = ours.on_lane(lane).count();
        Exchange& messages = lanes.emplace_back(on.lane(lane));
        messages.receive(come.buffer().slice(arrived, in), from);
        messages.send(leaving.buffer().slice(left, out), to);
        left += out;
        arrived += in;
    });
    for (Exchange& messages : lanes) messages.wait();
    ours.deliver(come.buffer(), call.result);
}

}  // namespace laneway
