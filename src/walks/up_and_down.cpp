// SPDX-License-Identifier: BSD-3-Clause
#include "walks/up_and_down.hpp"

#include "walks/down.hpp"
#include "walks/up.hpp"

namespace laneway {

void reduce_up_and_down(const Buffer& input, const Buffer& result, MPI_Op op, std::int64_t bytes,
                        const Links& links, const std::function<void(int number)>& reduced)
{
    Up up(input, result, op, bytes, links);
    Down down(result, bytes, links);
    // A segment comes back after as many steps as it takes to the root and down again, while others go up. (So, in
    // place, nothing arrives where something has still to leave.)
    const int lag = 2 * links.depth;
    for (int number = 0; number <= up.segments() + lag; ++number) {
        up.segment(number);
        if (links.is_root() && number < up.segments()) reduced(number);
        if (number >= lag) down.segment(number - lag);
    }
}

}  // namespace laneway
