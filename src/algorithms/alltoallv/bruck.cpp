// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <limits>

#include "collectives/algorithm.hpp"
#include "data/scratch.hpp"
#include "decomposition/components.hpp"
#include "decomposition/segmented.hpp"
#include "walks/digits.hpp"

namespace laneway {

/// Bytes of a block. For longer blocks, places take too much memory, and lanes too much time.
static constexpr std::int64_t short_block = 256;

/// All processes know how long the longest block is. So all blocks travel in places of that length. Only the target
/// needs to know how much of a place is data, and it does.
static void alltoallv_bruck(const Alltoallv& call, const Decomposition& on,
                            const Tunables& tunables)
{
    const Comm& world = on.world;
    const int rank = world.rank(), size = world.size();
    const std::int64_t length = call.longest;
    if (length == 0) return;
    if (length * size_of(call.result.type) > tunables["longest"])
        return by_text_of("spread", call, on);
    const Scratch places(2 * length * size, call.result.type);
    const Buffer blocks = places.buffer().slice(0, length * size);
    const Buffer room = places.buffer().slice(length * size, length * size);
    const auto place = [&](int distance, std::int64_t count) {
        return blocks.slice(distance * length, count);
    };
    for (int distance = 0; distance < size; ++distance) {
        const int target = (rank + distance) % size;
        if (const std::int64_t count = call.input_part.size(target); count > 0)
            copy(call.input_part.block(call.input, target), place(distance, count), world);
    }
    go_by_digits(blocks, room, length, static_cast<int>(tunables["radix"]), world);
    for (int distance = 0; distance < size; ++distance) {
        const int origin = (rank - distance + size) % size;
        if (const std::int64_t count = call.result_part.size(origin); count > 0)
            copy(place(distance, count), call.result_part.block(call.result, origin), world);
    }
}

constexpr Tunable longest_tunable{
    "longest",
    "bytes",
    short_block,
    1,
    std::numeric_limits<std::int32_t>::max(),
    "where a block of anyone has more, all go straight, as in spread"};

static const Register<Alltoallv> entry({
    .run = alltoallv_bruck,
    .flat = true,
    .told = Told::longest,
    .memory = {.message = 1, .bytes_a_process = 2 * short_block},
    .tunables = {radix_tunable, longest_tunable},
    .about =
        {.idea = "blocks go the distance to their target digit by digit, each in a place of the "
                 "longest one's length; that is told to all before",
         .rounds = "log_r p",
         .volume = "at most m ((log_r p - 1) floor(p (r - 1)/r) + p - r**(log_r p - 1)) a process",
         .memory = "2 p m",
         .source = "Bruck, Ho, Kipnis, Upfal, Weathersby 1997; Fan, Gilray, Pascucci, Huang, "
                   "Micinski, Kumar 2022, padded; with a radix as Fan, Domke, Ba, Kumar 2024"},
});

}  // namespace laneway
