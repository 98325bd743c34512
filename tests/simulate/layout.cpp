// SPDX-License-Identifier: BSD-3-Clause
// The facts that a process keeps of where all others are.
#include "layout/layout.hpp"

#include <malloc.h>

#include <cstddef>
#include <memory>
#include <utility>

#include "cases/case.hpp"

namespace laneway {
namespace {

using cases::Register;

/// Equal nodes of consecutive ranks.
Nodes nodes_of(int nodes, int ppn)
{
    Nodes found(static_cast<std::size_t>(nodes));
    for (int rank = 0; rank < nodes * ppn; ++rank)
        found[static_cast<std::size_t>(rank / ppn)].push_back(rank);
    return found;
}

const Register memory("a layout of 100000 ranks takes at most 32 bytes for each", [] {
    for (const int ppn : {4, 16, 125}) {
        const int nodes = 100000 / ppn;
        const std::size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
        const auto layout = std::make_unique<const Layout>(nodes_of(nodes, ppn), 2);
        const std::size_t taken = mallinfo2().uordblks + mallinfo2().hblkhd - before;
        EQUAL(layout->ranks(), nodes * ppn);
        TRUE(taken <= 32 * static_cast<std::size_t>(layout->ranks()));
    }
});

}  // namespace
}  // namespace laneway
