// SPDX-License-Identifier: BSD-3-Clause
#include "walks/digits.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "data/datatype.hpp"
#include "data/scratch.hpp"
#include "data/stretches.hpp"
#include "messages/messages.hpp"
#include "messages/pmpi.hpp"

namespace laneway {
namespace {

/// The places of the blocks whose distance, below `size`, has `digit` as its digit of weight `weight`; and their
/// elements.
std::pair<Datatype, std::int64_t> with_digit(int digit, std::int64_t weight, int radix, int size,
                                             std::int64_t length, MPI_Datatype type)
{
    std::vector<int> lengths, places;
    std::int64_t count = 0;
    for (const auto& [first, blocks] : distances_with(digit, weight, radix, size)) {
        places.push_back(static_cast<int>(first * length));
        lengths.push_back(static_cast<int>(blocks * length));
        count += lengths.back();
    }
    return {Datatype::indexed(lengths, places, type), count};
}

/// Calls `body(digit, distance)` for each digit above 0 of weight `weight`.
template <class Body>
void for_digits(std::int64_t weight, int radix, int size, const Body& body)
{
    for (int digit = 1; digit < radix && digit * weight < size; ++digit)
        body(digit, static_cast<int>(digit * weight));
}

/// Blocks of lengths of their own on their way, as one process has them.
class Travelling {
public:
    Travelling(const Buffer& input, const Partition& input_part, const Buffer& result,
               const Partition& result_part, std::span<const std::int64_t> lengths,
               std::int64_t longest, int radix, const Comm& comm)
        : result_part_(result_part),
          lengths_(lengths),
          longest_(longest),
          radix_(radix),
          comm_(comm),
          in_place_(input.data == result.data),
          between_(most_between_rounds()),
          rooms_((rounds_of_digits(radix, comm.size()) > 2 ? 2 : 1) * between_, result.type),
          now_(by_rank(input, input_part, 1)),
          next_(now_),
          arrived_(by_rank(result, result_part, -1))
    {
    }

    /// Carries the round out that goes by the digit of this weight.
    void go(std::int64_t weight)
    {
        const std::int64_t above = weight * radix_;
        next_ = lands(weight) ? arrived_ : between_rounds(round_ + 1, weight);
        std::vector<Stretches::Row> rows;
        Messages messages(comm_);
        const auto row = [&](const Places& places, int digit, int round) -> const Buffer& {
            Stretches stretches(places.memory);
            for (const auto& [first, count] : distances_with(digit, weight, radix_, size()))
                add(stretches, places, first, first + count, round);
            return rows.emplace_back(stretches.all()).first;
        };
        rows.reserve(2 * static_cast<std::size_t>(radix_));
        for_digits(weight, radix_, size(), [&](int digit, int distance) {
            messages.receive(row(next_, digit, round_ + 1), peer(-distance));
            messages.send(row(now_, digit, round_), peer(distance));
        });
        if (above < size()) move(now_, next_, round_, stay(weight));
        messages.wait();
        const Distances come{static_cast<int>(weight),
                             static_cast<int>(std::min<std::int64_t>(above, size()) - weight)};
        if (!lands(weight)) move(next_, arrived_, round_ + 1, {come});
        now_ = next_;
        ++round_;
    }

private:
    /// Where blocks stand in memory, by the distance that they have to go in all.
    struct Places {
        Buffer memory;
        std::vector<std::int64_t> first;
    };

    int size() const { return comm_.size(); }
    int peer(std::int64_t distance) const
    {
        return static_cast<int>((comm_.rank() + distance + size()) % size());
    }

    /// Whether what comes in a round comes to its place: in the last one, unless data that leave are still there.
    bool lands(std::int64_t weight) const
    {
        return weight * radix_ >= size() && (weight > 1 || !in_place_);
    }

    /// Elements of the block that has so far to go, before a round. After the last one all have come.
    std::int64_t length(int distance, int round) const
    {
        const auto at = static_cast<std::size_t>(round) * static_cast<std::size_t>(size()) +
                        static_cast<std::size_t>(distance);
        if (at < lengths_.size()) return lengths_[at];
        const std::int64_t come = result_part_.size(peer(-distance));
        return distance == 0 || come > longest_ ? 0 : come;
    }

    Places by_rank(const Buffer& memory, const Partition& part, int direction) const
    {
        Places places{memory, {}};
        for (int distance = 0; distance < size(); ++distance)
            places.first.push_back(part.first(peer(direction * distance)));
        return places;
    }

    /// The places of the blocks that a process has before a round, without those that had come before the last one.
    /// Two such rows take turns in memory.
    Places between_rounds(int round, std::int64_t from)
    {
        const bool takes_turns = rooms_.buffer().count > between_;
        const std::int64_t room = takes_turns ? round % 2 * between_ : 0;
        Places places{rooms_.buffer().slice(room, between_), {}};
        std::int64_t before = 0;
        for (int distance = 0; distance < size(); ++distance) {
            places.first.push_back(before);
            if (distance >= from) before += length(distance, round);
        }
        return places;
    }

    std::int64_t most_between_rounds() const
    {
        std::int64_t most = 0;
        int round = 1;
        for (std::int64_t weight = 1; weight < size(); weight *= radix_, ++round) {
            std::int64_t held = 0;
            for (int distance = static_cast<int>(weight); distance < size(); ++distance)
                held += length(distance, round);
            if (!lands(weight)) most = std::max(most, held);
        }
        return most;
    }

    void add(Stretches& stretches, const Places& places, int first, int end, int round) const
    {
        for (int distance = first; distance < end; ++distance)
            stretches.add(places.first[static_cast<std::size_t>(distance)],
                          length(distance, round));
    }

    /// The distances of the blocks that stay in a round and have not come.
    std::vector<Distances> stay(std::int64_t weight) const
    {
        auto runs = distances_with(0, weight, radix_, size());
        runs.erase(runs.begin());
        return runs;
    }

    void move(const Places& from, const Places& to, int round,
              const std::vector<Distances>& runs) const
    {
        Stretches leaving(from.memory), arriving(to.memory);
        for (const auto& [first, count] : runs) {
            add(leaving, from, first, first + count, round);
            add(arriving, to, first, first + count, round);
        }
        if (leaving.count() == 0) return;
        const Stretches::Row data = leaving.all(), place = arriving.all();
        pmpi::copy(data.first, place.first, comm_);
    }

    const Partition& result_part_;
    const std::span<const std::int64_t> lengths_;
    const std::int64_t longest_;
    const int radix_;
    const Comm& comm_;
    const bool in_place_;
    const std::int64_t between_;  ///< the most elements that stand between two rounds
    const Scratch rooms_;
    Places now_, next_;
    const Places arrived_;
    int round_ = 0;
};

}  // namespace

void go_by_digits(const Buffer& blocks, const Buffer& room, std::int64_t length, int radix,
                  const Comm& comm)
{
    const int rank = comm.rank(), size = comm.size();
    const MPI_Datatype type = blocks.type;
    for (std::int64_t weight = 1; weight < size; weight *= radix) {
        std::vector<std::pair<Datatype, Buffer>> arriving;
        std::int64_t come = 0;
        Messages messages(comm);
        for_digits(weight, radix, size, [&](int digit, int distance) {
            auto [places, count] = with_digit(digit, weight, radix, size, length, type);
            const Buffer arrived = room.slice(come, count);
            come += count;
            messages.receive(arrived, (rank - distance + size) % size);
            messages.send(Buffer::of(blocks.data, 1, places), (rank + distance) % size);
            arriving.emplace_back(std::move(places), arrived);
        });
        messages.wait();
        for (const auto& [places, arrived] : arriving)
            pmpi::copy(arrived, Buffer::of(blocks.data, 1, places), comm);
    }
}

void tell_by_digits(const Buffer& own, const Buffer& rows, int radix, const Comm& comm)
{
    const int rank = comm.rank(), size = comm.size();
    pmpi::copy(own, rows.slice(0, size), comm);
    std::int64_t weight = 1;
    for (int round = 1; round < rounds_of_digits(radix, size); ++round, weight *= radix) {
        const Buffer before = rows.slice((round - 1) * std::int64_t{size}, size);
        const Buffer after = rows.slice(round * std::int64_t{size}, size);
        std::vector<Datatype> types;
        Messages messages(comm);
        for_digits(weight, radix, size, [&](int digit, int distance) {
            const Datatype& places =
                types.emplace_back(with_digit(digit, weight, radix, size, 1, rows.type).first);
            messages.receive(Buffer::of(after.data, 1, places), (rank - distance + size) % size);
            messages.send(Buffer::of(before.data, 1, places), (rank + distance) % size);
        });
        const Datatype stay = with_digit(0, weight, radix, size, 1, rows.type).first;
        pmpi::copy(Buffer::of(before.data, 1, stay), Buffer::of(after.data, 1, stay), comm);
        messages.wait();
    }
}

void go_by_digits(const Buffer& input, const Partition& input_part, const Buffer& result,
                  const Partition& result_part, std::span<const std::int64_t> lengths,
                  std::int64_t longest, int radix, const Comm& comm)
{
    Travelling blocks(input, input_part, result, result_part, lengths, longest, radix, comm);
    for (std::int64_t weight = 1; weight < comm.size(); weight *= radix) blocks.go(weight);
}

}  // namespace laneway
