// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>

#include "data/buffer.hpp"
#include "walks/links.hpp"

namespace laneway {

/// Brings everyone's input, reduced, to everyone's `result`. Each segment goes down the tree as soon as it has been
/// reduced at the root, while others go up. Before it does, the root calls `reduced` with its number.
void reduce_up_and_down(
    const Buffer& input, const Buffer& result, MPI_Op op, std::int64_t bytes, const Links& links,
    const std::function<void(int number)>& reduced = [](int) {});

}  // namespace laneway
