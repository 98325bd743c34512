// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/shares.hpp"

#include <algorithm>

#include "messages/messages.hpp"

namespace laneway {

Shares::Shares(const Partition& row, int segment, int segments, const Decomposition& on) : on_(on)
{
    for (int rank = 0; rank < row.parts(); ++rank) {
        const Partition cut(row.size(rank), segments);
        sizes_.push_back(cut.size(segment));
        places_in_row_.push_back(row.first(rank) + cut.first(segment));
    }
}

std::int64_t Shares::count_of(int node) const
{
    const std::vector<int>& members = on_.members(node);
    if (sizes_.empty()) return static_cast<std::int64_t>(members.size()) * length_;
    std::int64_t count = 0;
    for (const int rank : members) count += size(rank);
    return count;
}

Partition Shares::by_node() const
{
    std::vector<std::int64_t> sizes;
    for (int node = 0; node < on_.nodes(); ++node) sizes.push_back(count_of(node));
    return Partition(sizes);
}

Partition Shares::on_lane(int lane) const
{
    std::vector<std::int64_t> sizes;
    for (int node = 0; node < on_.nodes(); ++node) sizes.push_back(of_node(node).size(lane));
    return Partition(sizes);
}

Partition Shares::sections() const
{
    std::vector<std::int64_t> sizes;
    for (int lane = 0; lane < on_.lanes(); ++lane) sizes.push_back(on_lane(lane).count());
    return Partition(sizes);
}

std::int64_t Shares::owned() const
{
    std::int64_t count = 0;
    on_.for_lanes([&](int lane) { count += of_node(on_.node_index()).size(lane); });
    return count;
}

std::int64_t Shares::served() const
{
    std::int64_t count = 0;
    on_.for_lanes([&](int lane) { count += on_lane(lane).count(); });
    return count;
}

Buffer Shares::places(int lane, const Buffer& row) const
{
    if (places_.empty()) places_.resize(static_cast<std::size_t>(on_.lanes()));
    auto& known = places_[static_cast<std::size_t>(lane)];
    if (!known) known = places(lane, 1, {nullptr, row.count, row.type, row.extent});
    Buffer result = known->first;
    result.data = advanced(row.data, reinterpret_cast<std::intptr_t>(result.data));
    return result;
}

Stretches::Row Shares::places(int first_lane, int lanes, const Buffer& row) const
{
    Stretches result(row);
    for (int lane = first_lane; lane < first_lane + lanes; ++lane)
        for (int node = 0; node < on_.nodes(); ++node)
            for_pieces(lane, node,
                       [&](std::int64_t place, std::int64_t count) { result.add(place, count); });
    return result.all();
}

/// Calls `body(lane, local, in_owned, in_block, count)` for the elements that the block of local process
/// `local` has in common with the share of `lane`. `in_owned` holds for the share's owner.
template <class Body>
void Shares::for_overlaps(const Body& body) const
{
    const Partition shares = of_node(on_.node_index());
    const std::vector<int>& members = on_.members(on_.node_index());
    std::int64_t before = 0;  // elements in the caller's shares of earlier lanes
    for (int lane = 0; lane < on_.lanes(); ++lane) {
        std::int64_t block = 0;
        for (int local = 0; local < on_.node.size(); ++local) {
            const std::int64_t end = block + size(members[static_cast<std::size_t>(local)]);
            const std::int64_t first = std::max(shares.first(lane), block);
            const std::int64_t last = std::min(shares.first(lane + 1), end);
            if (first < last)
                body(lane, local, before + first - shares.first(lane), first - block, last - first);
            block = end;
        }
        if (on_.serves(lane)) before += shares.size(lane);
    }
}

void Shares::from_blocks(const Buffer& mine, const Buffer& owned) const
{
    Messages messages(on_.node);
    for_overlaps(
        [&](int lane, int local, std::int64_t in_owned, std::int64_t in_block, std::int64_t count) {
            if (on_.serves(lane)) messages.receive(owned.slice(in_owned, count), local, lane);
            if (local == on_.node.rank())
                messages.send(mine.slice(in_block, count), on_.owner(lane, on_.node_index()), lane);
        });
    messages.wait();
}

void Shares::to_blocks(const Buffer& owned, const Buffer& mine) const
{
    Messages messages(on_.node);
    for_overlaps([&](int lane, int local, std::int64_t in_owned, std::int64_t in_block,
                     std::int64_t count) {
        if (local == on_.node.rank())
            messages.receive(mine.slice(in_block, count), on_.owner(lane, on_.node_index()), lane);
        if (on_.serves(lane)) messages.send(owned.slice(in_owned, count), local, lane);
    });
    messages.wait();
}

void Shares::to_owners(const Buffer& row) const
{
    const int node = on_.node_index(), self = on_.node.rank();
    Messages messages(on_.node);
    for_overlaps([&](int lane, int local, std::int64_t, std::int64_t in_block, std::int64_t count) {
        const int owner = on_.owner(lane, node);
        if (owner == local) return;
        const int rank = on_.members(node)[static_cast<std::size_t>(local)];
        const Buffer piece = block(row, rank).slice(in_block, count);
        if (owner == self) messages.receive(piece, local, lane);
        if (local == self) messages.send(piece, owner, lane);
    });
    messages.wait();
}

Stretches node_order(const Partition& part, const Buffer& row, const Decomposition& on)
{
    Stretches result(row);
    for (int node = 0; node < on.nodes(); ++node)
        for (const int rank : on.members(node)) result.add(part.first(rank), part.size(rank));
    return result;
}

Partition node_blocks(const Partition& part, const Decomposition& on)
{
    std::vector<std::int64_t> sizes;
    for (int node = 0; node < on.nodes(); ++node) {
        std::int64_t size = 0;
        for (const int rank : on.members(node)) size += part.size(rank);
        sizes.push_back(size);
    }
    return Partition(sizes);
}

Partition own_node(const Partition& part, const Decomposition& on)
{
    std::vector<std::int64_t> sizes;
    for (const int rank : on.members(on.node_index())) sizes.push_back(part.size(rank));
    return Partition(sizes);
}

}  // namespace laneway
