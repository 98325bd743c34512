// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

namespace laneway::bench {

/// How long the blocks of a vector collective are, `count` being their mean.
enum class BlockLayout {
    equal,
    ramp,   ///< From nothing at rank 0 to twice the mean at the last.
    single  ///< Everything is rank 0's.
};

/// Elements of the block of `rank` among `size`, whose mean is `mean`.
std::size_t block_elements(BlockLayout layout, std::size_t mean, int rank, int size);

/// The name of a layout, and the layout of a name; throws UsageError.
const char* name(BlockLayout layout);
BlockLayout block_layout(const std::string& name);

}  // namespace laneway::bench
