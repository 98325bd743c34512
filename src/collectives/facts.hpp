// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

/// Facts that all processes know alike of a call, and may decide by.
namespace laneway {

/// The facts of a call that the requirements of an algorithm look at (see Requires).
struct Facts {
    std::int64_t count =
        0;  ///< elements of the message, of all blocks of a reduction, or of a block; 1 for a barrier.
    /// Bytes of the message; of one block, where there is a block a rank. -1: not known on all ranks.
    std::int64_t bytes = -1;
    bool order_matters = false;  ///< the operator is not commutative
    bool whole = false;          ///< the operator is the user's: it must see whole messages
};

}  // namespace laneway
