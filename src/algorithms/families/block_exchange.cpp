// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/block_exchange.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <utility>

#include "data/datatype.hpp"
#include "decomposition/components.hpp"
#include "messages/messages.hpp"

namespace laneway {

Passages::Passages(bool leave, std::vector<BlocksBetween> rows, const BlockMatrix& blocks,
                   const Decomposition& on)
    : leave_(leave),
      side_(leave ? BlocksBetween::Side::origins : BlocksBetween::Side::targets),
      rows_(std::move(rows)),
      blocks_(blocks),
      on_(on)
{
    std::int64_t room = 0;
    on.for_lanes([&](int lane) {
        for (const BlocksBetween& row : rows_) {
            const std::int64_t count = row.share(lane).count;
            std::int64_t own = 0;
            for (const BlocksBetween::Run& run : own_runs(row, lane)) own += run.count;
            served_.push_back({room, own == count});
            if (own != count) room += count;
        }
    });
    shares_.emplace(room, blocks.type());
}

/// A run as it stands with the calling process, which is its origin or its target.
Buffer Passages::in_row(const BlocksBetween::Run& run) const
{
    const Buffer block = leave_ ? blocks_.sent(run.target) : blocks_.received(run.origin);
    return block.slice(run.in_block, run.count);
}

/// The pieces of a lane's shares that each process of the node exchanges with the shares' owner. They are those of all
/// rows, as far as the caller takes part.
std::vector<Passages::Pieces> Passages::pieces_by_process(int lane) const
{
    const int self = on_.node.rank();
    std::vector<Pieces> all(static_cast<std::size_t>(on_.node.size()));
    const bool is_owner = on_.serves(lane);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        if (is_owner && served(row, lane).in_place) continue;
        for (const BlocksBetween::Run& run :
             is_owner ? rows_[row].runs(lane, side_) : own_runs(rows_[row], lane)) {
            const int local = on_.locate(leave_ ? run.origin : run.target).local;
            Piece piece{};
            if (local == self) piece.in_row = in_row(run);
            if (is_owner)
                piece.in_share =
                    shares_->buffer().slice(served(row, lane).first + run.in_share, run.count);
            all[static_cast<std::size_t>(local)].push_back(piece);
        }
    }
    return all;
}

namespace {

/// Calls `body(buffer)` for each message. Types live as long as `types`.
template <class Body>
void for_messages(const std::vector<Buffer>& pieces, std::deque<Datatype>& types, const Body& body)
{
    if (!are_packed(pieces)) {
        for (const Buffer& piece : pieces) body(piece);
        return;
    }
    Stretches row(pieces.front().slice(0, 0));
    for (const Buffer& piece : pieces) row.add(piece);
    auto [buffer, type] = row.all();
    body(buffer);
    if (type) types.push_back(std::move(*type));
}

}  // namespace

void Passages::within_node() const
{
    const int self = on_.node.rank();
    Messages messages(on_.node);
    std::deque<Datatype> types;
    for (int lane = 0; lane < on_.lanes(); ++lane) {
        const int owner = on_.owner(lane, on_.node_index());
        const std::vector<Pieces> all = pieces_by_process(lane);
        for (int local = 0; local < on_.node.size(); ++local) {
            const Pieces& pieces = all[static_cast<std::size_t>(local)];
            if (pieces.empty()) continue;
            const auto side = [&](Buffer Piece::* which) {
                std::vector<Buffer> buffers;
                for (const Piece& piece : pieces) buffers.push_back(piece.*which);
                return buffers;
            };
            if (local == self && owner == self) {
                for (const auto& [in_row, in_share] : pieces)
                    leave_ ? copy(in_row, in_share, on_.world) : copy(in_share, in_row, on_.world);
                continue;
            }
            const bool is_owner = owner == self, sends = is_owner != leave_;
            for_messages(side(is_owner ? &Piece::in_share : &Piece::in_row), types,
                         [&](const Buffer& data) {
                             const int peer = is_owner ? local : owner;
                             sends ? messages.send(data, peer) : messages.receive(data, peer);
                         });
        }
    }
    messages.wait();
}

void Passages::over_lane(int lane, Exchange& messages) const
{
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        const std::int64_t count = rows_[row].share(lane).count;
        if (count == 0) continue;
        const auto [first, in_place] = served(row, lane);
        const Buffer base = !in_place ? shares_->buffer()
                            : leave_  ? blocks_.sent(0)
                                      : blocks_.received(0);
        Stretches share(base);
        if (!in_place)
            share.add(first, count);
        else
            for (const BlocksBetween::Run& run : own_runs(rows_[row], lane)) share.add(in_row(run));
        leave_ ? messages.send(share, rows_[row].to()) : messages.receive(share, rows_[row].from());
    }
}

namespace {

/// Exchanges the blocks that the processes of a node have for each other, straight from place to place.
void exchange_within(const BlockMatrix& blocks, const Decomposition& on)
{
    const int size = on.node.size(), self = on.node.rank(), rank = on.world.rank();
    const auto rank_of = [&](int local) {
        return on.members(on.node_index())[static_cast<std::size_t>(local)];
    };
    Exchange messages(on.node);
    for (int step = 1; step < size; ++step) {
        const int to = (self + step) % size, from = (self - step + size) % size;
        if (blocks.size(rank_of(from), rank) > 0)
            messages.receive(
                blocks.received(rank_of(from)).slice(0, blocks.size(rank_of(from), rank)), from);
        if (blocks.size(rank, rank_of(to)) > 0)
            messages.send(blocks.sent(rank_of(to)).slice(0, blocks.size(rank, rank_of(to))), to);
    }
    const std::int64_t own = blocks.size(rank, rank);
    const Buffer from = blocks.sent(rank).slice(0, own), to = blocks.received(rank).slice(0, own);
    if (own > 0 && from.data != to.data) copy(from, to, on.world);
    messages.wait();
}

/// Begins to exchange the calling process's blocks with all processes of another node. Each process of a node begins
/// with another one there.
void exchange_straight(const BlocksBetween& row, bool leave, const BlockMatrix& blocks,
                       const Decomposition& on, Exchange& messages)
{
    const int rank = on.world.rank();
    const std::vector<int>& peers = on.members(leave ? row.to() : row.from());
    for (std::size_t step = 0; step < peers.size(); ++step) {
        const int peer = peers[(static_cast<std::size_t>(on.node.rank()) + step) % peers.size()];
        const std::int64_t count = leave ? blocks.size(rank, peer) : blocks.size(peer, rank);
        if (count == 0) continue;
        leave ? messages.send(blocks.sent(peer).slice(0, count), peer)
              : messages.receive(blocks.received(peer).slice(0, count), peer);
    }
}

/// Begins to exchange the rows that go straight from origins to targets: long ones, and short ones in which blocks stand
/// alone. The other rows stay in `rows`.
void take_straight(std::vector<BlocksBetween>& rows, bool leave, const BlockMatrix& blocks,
                   const Decomposition& on, Exchange& messages)
{
    const int rank = on.world.rank();
    std::erase_if(rows, [&](const BlocksBetween& row) {
        if (row.is_straight() && !row.is_empty()) {
            exchange_straight(row, leave, blocks, on, messages);
            return true;
        }
        const std::vector<BlocksBetween::Run> alone = row.lone_blocks();
        for (const auto& [origin, target, begin, in_share, count] : alone) {
            if (leave && origin == rank)
                messages.send(blocks.sent(target).slice(begin, count), target);
            else if (!leave && target == rank)
                messages.receive(blocks.received(origin).slice(begin, count), origin);
        }
        return !alone.empty();
    });
}

/// Exchanges all rows that leave and come, in as many messages on lanes as there are rows and lanes.
void exchange_rows(std::vector<BlocksBetween> out, std::vector<BlocksBetween> in, bool with_own,
                   const BlockMatrix& blocks, const Decomposition& on)
{
    Exchange straight(on.world);
    take_straight(in, false, blocks, on, straight);
    take_straight(out, true, blocks, on, straight);
    const Passages leaving(true, std::move(out), blocks, on);
    const Passages coming(false, std::move(in), blocks, on);
    leaving.within_node();
    std::deque<Exchange> lanes;
    on.for_lanes([&](int lane) {
        Exchange& messages = lanes.emplace_back(on.lane(lane));
        coming.over_lane(lane, messages);
        leaving.over_lane(lane, messages);
    });
    if (with_own) exchange_within(blocks, on);
    for (Exchange& messages : lanes) messages.wait();
    coming.within_node();
    straight.wait();
}

}  // namespace

void exchange_blocks(const BlockMatrix& blocks, const RowSizes& sizes, const Decomposition& on)
{
    const int nodes = on.nodes(), node = on.node_index();
    const std::int64_t element = size_of(blocks.type());
    std::vector<BlocksBetween> out, in;
    for (int distance = 1; distance < nodes; ++distance) {
        const int to = (node + distance) % nodes, from = (node - distance + nodes) % nodes;
        out.emplace_back(blocks, node, to, RowCut{sizes}, element, on);
        in.emplace_back(blocks, from, node, RowCut{sizes}, element, on);
    }
    constexpr auto is_empty = [](const BlocksBetween& row) { return row.is_empty(); };
    std::erase_if(out, is_empty);
    std::erase_if(in, is_empty);
    exchange_rows(std::move(out), std::move(in), true, blocks, on);
}

void exchange_blocks_in_segments(const BlockMatrix& blocks, const RowSizes& sizes, const Cut& cut,
                                 const Decomposition& on)
{
    // Only two nodes know how long a row is. So all rows have as many segments, of which some may be empty.
    constexpr int segments = 8;
    const int nodes = on.nodes(), node = on.node_index();
    const std::int64_t element = size_of(blocks.type());
    const int children = 1 + (nodes - 1) * segments;
    under_way(children, cut.ahead, [&](int child) {
        if (child == 0) return exchange_within(blocks, on);
        // A part of all rows comes before the next part of any, as rows may have one part alone.
        const int distance = 1 + (child - 1) % (nodes - 1);
        const int to = (node + distance) % nodes, from = (node - distance + nodes) % nodes;
        const RowCut part{sizes, (child - 1) / (nodes - 1), segments, cut.segment * on.lanes()};
        std::vector<BlocksBetween> out, in;
        out.emplace_back(blocks, node, to, part, element, on);
        in.emplace_back(blocks, from, node, part, element, on);
        exchange_rows(std::move(out), std::move(in), false, blocks, on);
    });
}

}  // namespace laneway
