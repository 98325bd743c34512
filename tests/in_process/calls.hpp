// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <type_traits>
#include <vector>

#include "blocks.hpp"
#include "collectives/algorithm.hpp"
#include "collectives/facts_of.hpp"
#include "trial.hpp"
#include "walks/digits.hpp"

/// One rank's call of a case, with its memory and what must become of that.
namespace laneway::in_process {

/// The contents that the first `count` elements of a row must have in the end; others may be anything.
struct Expected {
    enum class Of : std::uint8_t {
        nothing,   ///< the row as it was before there were elements
        operands,  ///< the operands of rank `ranks`
        blocks,    ///< blocks of all ranks' operands, one a rank
        lengths,   ///< such blocks, with the lengths of the case
        reduced,   ///< operands of the ranks below `ranks`
        received,  ///< blocks of an alltoallv, of all ranks for rank `ranks`
    };
    Of of = Of::nothing;
    int ranks = 0;
    std::int64_t first = 0;  ///< element, of the operands
    std::int64_t count = 0;
    bool operator==(const Expected&) const = default;
};

/// A row of elements with guards around it.
struct Row {
    std::byte* memory;
    std::int64_t length;
    Expected expected;
};

/// Room for `count` of what may be anything.
template <class Type>
Type* room_for(std::int64_t count, std::vector<Type>& memory)
{
    if (memory.size() < static_cast<std::size_t>(count))
        memory.resize(static_cast<std::size_t>(count));
    return memory.data();
}

/// The call of one rank after the other.
class Caller {
public:
    /// `circle`: who tells lengths in the case's algorithm.
    Caller(const Case& now, const Circle& circle, Stage& stage)
        : now_(now),
          told_(circle.told),
          circle_(circle),
          stage_(stage)
    {
    }

    /// The rows by rank, `rows_a_rank` each.
    const std::vector<Row>& rows() const { return rows_; }
    /// Where the rows of each rank begin, and where the last one's end.
    const std::vector<std::size_t>& first_rows() const { return first_rows_; }

    template <class Call>
    Call operator()(int rank)
    {
        if (first_rows_.empty()) first_rows_.push_back(0);
        const Call call = call_of(std::type_identity<Call>{}, rank);
        first_rows_.push_back(rows_.size());
        return call;
    }

private:
    using Of = Expected::Of;

    Buffer buffer(const Row& row) const
    {
        return {elements_of(row.memory), row.length, now_.kind->type, now_.kind->extent};
    }
    Buffer none(std::int64_t count) const
    {
        return {nullptr, count, now_.kind->type, now_.kind->extent};
    }
    int size() const { return now_.machine->ranks(); }

    Buffer row(std::int64_t count, const Expected& expected)
    {
        const std::size_t bytes = row_bytes(*now_.kind, count);
        rows_.push_back({stage_.rows.take(bytes), count, expected});
        clear_row(rows_.back().memory, bytes);
        return buffer(rows_.back());
    }
    /// Elements of a buffer become the operands of `rank`.
    void fill(const Buffer& data, int rank)
    {
        Value* const values = room_for(data.count, stage_.values);
        operands(rank, 0, data.count, values);
        now_.kind->write(static_cast<std::byte*>(data.data), values, data.count);
    }
    /// A row that holds the operands of `rank`.
    Buffer input(int rank, std::int64_t count, const Expected& expected)
    {
        const Buffer data = row(count, expected);
        fill(data, rank);
        return data;
    }
    /// A row that stays as it is.
    Buffer input(int rank, std::int64_t count)
    {
        return input(rank, count, {Of::operands, rank, 0, count});
    }
    /// A row that all ranks' blocks come to; a block in place is there already.
    Buffer all_blocks(int rank)
    {
        const Buffer whole = row(now_.count * size(), {Of::blocks, 0, 0, now_.count * size()});
        if (now_.in_place) fill(own_block(whole, rank), rank);
        return whole;
    }
    Buffer own_block(const Buffer& whole, int rank) const
    {
        return whole.slice(rank * now_.count, now_.count);
    }

    Bcast call_of(std::type_identity<Bcast>, int rank)
    {
        const Expected all{Of::operands, now_.root, 0, now_.count};
        return {rank == now_.root ? input(rank, now_.count, all) : row(now_.count, all), now_.root};
    }
    Scatter call_of(std::type_identity<Scatter>, int rank)
    {
        const std::int64_t all = now_.count * size();
        const Buffer whole = rank == now_.root ? input(rank, all) : none(all);
        const Expected part{Of::operands, now_.root, rank * now_.count, now_.count};
        return {whole, row(now_.count, part), now_.root};
    }
    Gather call_of(std::type_identity<Gather>, int rank)
    {
        if (rank != now_.root)
            return {input(rank, now_.count), none(now_.count * size()), now_.root};
        const Buffer whole = all_blocks(rank);
        return {now_.in_place ? own_block(whole, rank) : input(rank, now_.count), whole, now_.root};
    }
    Allgather call_of(std::type_identity<Allgather>, int rank)
    {
        const Buffer whole = all_blocks(rank);
        return {now_.in_place ? own_block(whole, rank) : input(rank, now_.count), whole};
    }
    Alltoall call_of(std::type_identity<Alltoall>, int rank)
    {
        const std::int64_t all = now_.count * size();
        const Expected arrived{Of::blocks, 0, rank * now_.count, all};
        if (!now_.in_place) return {input(rank, all), row(all, arrived)};
        const Buffer both = input(rank, all, arrived);
        return {both, both};
    }

    /// Input and result of a reduction of `count` elements, of which `expected` result; in place, what is
    /// beyond them is memory that may be used.
    std::pair<Buffer, Buffer> reduced(int rank, std::int64_t count, std::int64_t length,
                                      const Expected& expected)
    {
        if (!now_.in_place) return {input(rank, count), row(length, expected)};
        const Buffer both = input(rank, count, expected);
        return {both, both.slice(0, length)};
    }
    /// The sum of what ranks below `ranks` have.
    Expected sum(int ranks, std::int64_t first = 0) const
    {
        return {Of::reduced, ranks, first, now_.count};
    }

    Allreduce call_of(std::type_identity<Allreduce>, int rank)
    {
        const auto [in, out] = reduced(rank, now_.count, now_.count, sum(size()));
        return {in, out, now_.kind->op};
    }
    Reduce call_of(std::type_identity<Reduce>, int rank)
    {
        if (rank != now_.root)
            return {input(rank, now_.count), none(now_.count), now_.kind->op, now_.root};
        const auto [in, out] = reduced(rank, now_.count, now_.count, sum(size()));
        return {in, out, now_.kind->op, now_.root};
    }
    ReduceScatterBlock call_of(std::type_identity<ReduceScatterBlock>, int rank)
    {
        const auto [in, out] =
            reduced(rank, now_.count * size(), now_.count, sum(size(), rank * now_.count));
        return {in, out, now_.kind->op};
    }
    Scan call_of(std::type_identity<Scan>, int rank)
    {
        const auto [in, out] = reduced(rank, now_.count, now_.count, sum(rank + 1));
        return {in, out, now_.kind->op};
    }
    Exscan call_of(std::type_identity<Exscan>, int rank)
    {
        // On rank 0 the result is not written.
        const Expected first = now_.in_place ? Expected{Of::operands, 0, 0, now_.count}
                                             : Expected{Of::nothing, 0, 0, now_.count};
        const auto [in, out] = reduced(rank, now_.count, now_.count, rank > 0 ? sum(rank) : first);
        return {in, out, now_.kind->op};
    }
    Barrier call_of(std::type_identity<Barrier>, int) { return {}; }

    /// The lengths that a rank knows of a rooted vector collective. The root knows all of them, others their own and
    /// those that the algorithm has told them.
    Partition known(int rank) const
    {
        const Layout& on = *now_.machine->layout;
        const int node = on.locate(rank).node;
        const bool is_roots_node = told_ == Told::node && node == on.locate(now_.root).node;
        if (rank == now_.root || told_ == Told::everyone || is_roots_node) return blocks_.row();
        std::vector<std::int64_t> sizes(static_cast<std::size_t>(size()));
        for (const int other : on.members(node))
            if (other == rank || told_ == Told::node)
                sizes[static_cast<std::size_t>(other)] = blocks_.size(other);
        return Partition(sizes);
    }
    Scatterv call_of(std::type_identity<Scatterv>, int rank)
    {
        const Partition row = blocks_.row(), part = known(rank);
        const Buffer whole = rank == now_.root ? input(rank, row.count()) : none(part.count());
        const Expected own{Of::operands, now_.root, row.first(rank), row.size(rank)};
        return {whole, this->row(row.size(rank), own), part, now_.root};
    }
    Gatherv call_of(std::type_identity<Gatherv>, int rank)
    {
        const Partition part = known(rank);
        if (rank != now_.root)
            return {input(rank, blocks_.size(rank)), none(part.count()), part, now_.root};
        const Buffer whole = all_lengths(rank, part);
        return {own_of(rank, whole, part), whole, part, now_.root};
    }
    Allgatherv call_of(std::type_identity<Allgatherv>, int rank)
    {
        const Partition part = blocks_.row();
        const Buffer whole = all_lengths(rank, part);
        return {own_of(rank, whole, part), whole, part};
    }
    Buffer all_lengths(int rank, const Partition& part)
    {
        const Buffer whole = row(part.count(), {Of::lengths, 0, 0, part.count()});
        if (now_.in_place) fill(part.block(whole, rank), rank);
        return whole;
    }
    Buffer own_of(int rank, const Buffer& whole, const Partition& part)
    {
        return now_.in_place ? part.block(whole, rank) : input(rank, part.size(rank));
    }
    Alltoallv call_of(std::type_identity<Alltoallv>, int rank)
    {
        const Partition sent = blocks_.sent(rank), received = blocks_.received(rank);
        const Expected arrived{Of::received, rank, 0, received.count()};
        const NodeBlocks* const of_node = told_ == Told::node ? told_in_node(rank) : nullptr;
        const std::int64_t longest = told_ == Told::longest ? this->longest() : 0;
        if (told_ == Told::passing) passing_ = passing(rank);
        if (!now_.in_place)
            return {input(rank, sent.count()),
                    sent,
                    row(received.count(), arrived),
                    received,
                    of_node,
                    longest,
                    passing_};
        const Buffer both = input(rank, sent.count(), arrived);
        return {both, sent, both, received, of_node, longest, passing_};
    }
    std::vector<std::int64_t> passing(int rank)
    {
        const auto length = [&](int origin, int target) {
            const std::int64_t its = blocks_.size(origin, target);
            return its * size_of(now_.kind->type) > circle_.longest ? 0 : its;
        };
        return lengths_by_digits(rank, size(), static_cast<int>(circle_.radix), length);
    }
    std::int64_t longest()
    {
        if (!longest_) {
            longest_ = 0;
            for (int origin = 0; origin < size(); ++origin)
                for (int target = 0; target < size(); ++target)
                    longest_ = std::max(*longest_, blocks_.size(origin, target));
        }
        return *longest_;
    }
    NeighborAlltoallv call_of(std::type_identity<NeighborAlltoallv>, int rank)
    {
        return {call_of(std::type_identity<Alltoallv>{}, rank)};
    }
    /// The lengths that the algorithm tells all ranks of a node.
    const NodeBlocks* told_in_node(int rank)
    {
        const Layout& on = *now_.machine->layout;
        const int node = on.locate(rank).node;
        node_blocks_.resize(static_cast<std::size_t>(on.nodes()));
        std::optional<NodeBlocks>& its = node_blocks_[static_cast<std::size_t>(node)];
        if (!its) {
            std::vector<std::int64_t> told;
            for (const int member : on.members(node))
                for (const Partition& part : {blocks_.sent(member), blocks_.received(member)})
                    for (int peer = 0; peer < size(); ++peer) told.push_back(part.size(peer));
            its.emplace(told, node, on);
        }
        return &*its;
    }
    ReduceScatter call_of(std::type_identity<ReduceScatter>, int rank)
    {
        const Partition part = blocks_.row();
        const auto [in, out] = reduced(rank, part.count(), part.size(rank),
                                       {Of::reduced, size(), part.first(rank), part.size(rank)});
        return {in, out, part, now_.kind->op};
    }

    const Case& now_;
    const Told told_;
    const Circle circle_;
    Stage& stage_;
    std::vector<Row> rows_;
    std::vector<std::size_t> first_rows_;
    Blocks blocks_{now_};
    std::vector<std::optional<NodeBlocks>> node_blocks_;  ///< by node
    std::optional<std::int64_t> longest_;                 ///< block of an alltoallv
    std::vector<std::int64_t> passing_;                   ///< lengths that the last rank was told
};

}  // namespace laneway::in_process
