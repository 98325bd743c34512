// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include "collectives/algorithm.hpp"
#include "data/scratch.hpp"
#include "decomposition/components.hpp"
#include "walks/digits.hpp"

namespace laneway {

/// Blocks stand by the distance that they have to go. For each digit of that distance, they go as far as it says.
static void alltoall_bruck(const Alltoall& call, const Decomposition& on, const Tunables& tunables)
{
    const int rank = on.world.rank(), size = on.world.size();
    const int radix = static_cast<int>(tunables["radix"]);
    const std::int64_t length = call.result.count / size, after = (size - rank) * length;
    const MPI_Datatype type = call.result.type;
    const Scratch scratch(call.result.count, type);
    const Buffer blocks = scratch.buffer();
    copy(call.input.slice(rank * length, after), blocks.slice(0, after), on.world);
    if (rank > 0)
        copy(call.input.slice(0, rank * length), blocks.slice(after, rank * length), on.world);

    go_by_digits(blocks, call.result, length, radix, on.world);

    std::vector<int> origins;
    for (int distance = 0; distance < size; ++distance)
        origins.push_back(static_cast<int>((rank - distance + size) % size * length));
    const Datatype by_rank = Datatype::indexed(
        std::vector<int>(origins.size(), static_cast<int>(length)), origins, type);
    copy(blocks, Buffer::of(call.result.data, 1, by_rank), on.world);
}

static const Register<Alltoall> entry({
    .run = alltoall_bruck,
    .flat = true,
    .memory = {.message = 1},
    .tunables = {radix_tunable},
    .about =
        {.idea = "blocks go the distance to their target digit by digit, those with the same digit "
                 "in one message",
         .rounds = "log_r p",
         .volume = "at most m ((log_r p - 1) floor(p (r - 1)/r) + p - r**(log_r p - 1)) a process",
         .memory = "p m",
         .source = "Bruck, Ho, Kipnis, Upfal, Weathersby 1997, with r - 1 ports"},
});

}  // namespace laneway
