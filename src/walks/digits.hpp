// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "data/buffer.hpp"
#include "messages/comm.hpp"

namespace laneway {

/// Moves blocks of `length` elements each, which stand by the distance that they have to go, to the higher ranks and
/// round. For each digit of that distance to base `radix`, all blocks with the same digit go as far as it says, in one
/// message. In the end block d is that of the rank d before. `room` has place for as many blocks.
/// (Bruck, Ho, Kipnis, Upfal, Weathersby 1997, with r - 1 ports.)
void go_by_digits(const Buffer& blocks, const Buffer& room, std::int64_t length, int radix,
                  const Comm& comm);

}  // namespace laneway
