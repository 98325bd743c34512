// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "data/buffer.hpp"
#include "data/partition.hpp"
#include "data/scratch.hpp"
#include "messages/comm.hpp"
#include "messages/pmpi.hpp"

/// Walks of everyone's blocks straight to all others.
namespace laneway {

/// The data that are sent to others: the input, or, in place, a copy, as it must be safe before its place is written
/// to.
class Leaving {
public:
    Leaving(const Buffer& input, const Buffer& result, const Comm& comm)
        : saved_(input.data == result.data ? input.count : 0, input.type),
          buffer_(input.data == result.data ? saved_.buffer() : input)
    {
        if (buffer_.data != input.data) pmpi::copy(input, buffer_, comm);
    }

    const Buffer& buffer() const { return buffer_; }

private:
    const Scratch saved_;
    const Buffer buffer_;
};

/// @name How far the process that a step sends to is from the sender, of steps 1 to size - 1
/// @{
using Distance = int (*)(int step, int size);
inline int one_way(int step, int) { return step; }
/// Processes in turn after and before the sender: +1, -1, +2, -2 ...
inline int both_ways(int step, int size)
{
    return step % 2 == 1 ? (step + 1) / 2 : size - step / 2;
}
/// @}

/// Sends block r of `input` to rank r, where blocks stand by rank in `result`, which may be the input. Each step
/// sends one block and brings one. `window` steps go side by side, so that all of their lanes are in use to the end.
void all_to_all(const Buffer& input, const Partition& input_part, const Buffer& result,
                const Partition& result_part, int window, Distance distance, const Comm& comm);

/// Does as all_to_all(), with blocks most of which are empty: processes that have none for each other are passed over.
/// Blocks of at most `most` elements are passed over, too.
void to_partners(const Buffer& input, const Partition& input_part, const Buffer& result,
                 const Partition& result_part, const Comm& comm, std::int64_t most = 0);

}  // namespace laneway
