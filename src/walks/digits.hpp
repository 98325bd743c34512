// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/buffer.hpp"
#include "data/partition.hpp"
#include "messages/comm.hpp"
#include "patterns/digits.hpp"

/// Walks of blocks that go the distance to their targets digit by digit (patterns/digits.hpp). In each round, all
/// blocks with the same digit go as far as it says, to the higher ranks and round, in one message.
namespace laneway {

/// Moves blocks of `length` elements each, which stand by the distance that they have to go. In the end block d is that
/// of the rank d before. `room` has place for as many blocks.
void go_by_digits(const Buffer& blocks, const Buffer& room, std::int64_t length, int radix,
                  const Comm& comm);

/// The lengths of the blocks that a process has before each round but the first, and of those that it begins with. Each
/// row has a length for each distance that blocks have to go in all. Blocks that have come are of no interest there.
/// `length(origin, target)`: that of a block.
template <class Length>
std::vector<std::int64_t> lengths_by_digits(int rank, int size, int radix, const Length& length)
{
    std::vector<std::int64_t> rows;
    for (std::int64_t weight = 1; weight < size; weight *= radix)
        for (int distance = 0; distance < size; ++distance) {
            const int origin = (rank - static_cast<int>(distance % weight) + size) % size;
            rows.push_back(distance == 0 ? 0 : length(origin, (origin + distance) % size));
        }
    return rows;
}

/// Has all processes tell each other these lengths, in a round less than blocks take. `rows` are numbers of
/// MPI_INT64_T, one row after the other, `own` the first row.
void tell_by_digits(const Buffer& own, const Buffer& rows, int radix, const Comm& comm);

/// Moves block r of `input` to rank r, where blocks stand by rank in `result`, which may be the input. `lengths` are
/// those of lengths_by_digits(). Blocks of more than `longest` elements are left out, of length 0 there, and one's own.
/// Temporary memory: the blocks that a process has between two rounds, twice.
void go_by_digits(const Buffer& input, const Partition& input_part, const Buffer& result,
                  const Partition& result_part, std::span<const std::int64_t> lengths,
                  std::int64_t longest, int radix, const Comm& comm);

}  // namespace laneway
