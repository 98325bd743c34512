// SPDX-License-Identifier: BSD-3-Clause
#include "walks/digits.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "data/datatype.hpp"
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
    for (std::int64_t first = digit * weight; first < size; first += radix * weight) {
        places.push_back(static_cast<int>(first * length));
        lengths.push_back(static_cast<int>(std::min(weight, size - first) * length));
        count += lengths.back();
    }
    return {Datatype::indexed(lengths, places, type), count};
}

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
        for (int digit = 1; digit < radix && digit * weight < size; ++digit) {
            auto [places, count] = with_digit(digit, weight, radix, size, length, type);
            const int distance = static_cast<int>(digit * weight);
            const Buffer arrived = room.slice(come, count);
            come += count;
            messages.receive(arrived, (rank - distance + size) % size);
            messages.send(Buffer::of(blocks.data, 1, places), (rank + distance) % size);
            arriving.emplace_back(std::move(places), arrived);
        }
        messages.wait();
        for (const auto& [places, arrived] : arriving)
            pmpi::copy(arrived, Buffer::of(blocks.data, 1, places), comm);
    }
}

}  // namespace laneway
