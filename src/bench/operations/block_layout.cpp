// SPDX-License-Identifier: BSD-3-Clause
#include "bench/operations/block_layout.hpp"

#include "bench/text/words.hpp"

namespace laneway::bench {

std::size_t block_elements(BlockLayout layout, std::size_t mean, int rank, int size)
{
    switch (layout) {
    case BlockLayout::equal:
        return mean;
    case BlockLayout::ramp:
        return size == 1 ? mean
                         : 2 * mean * static_cast<std::size_t>(rank) /
                               (static_cast<std::size_t>(size) - 1);
    case BlockLayout::single:
        return rank == 0 ? mean * static_cast<std::size_t>(size) : 0;
    }
    return mean;
}

const char* name(BlockLayout layout)
{
    return layout == BlockLayout::equal ? "equal" : layout == BlockLayout::ramp ? "ramp" : "single";
}

BlockLayout block_layout(const std::string& text)
{
    for (const BlockLayout each : {BlockLayout::equal, BlockLayout::ramp, BlockLayout::single})
        if (text == name(each)) return each;
    throw UsageError("--layout: '" + text + "' is none of equal, ramp, single");
}

}  // namespace laneway::bench
