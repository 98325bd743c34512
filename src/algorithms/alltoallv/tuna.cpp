// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <limits>

#include "collectives/algorithm.hpp"
#include "decomposition/components.hpp"
#include "walks/all_to_all.hpp"
#include "walks/digits.hpp"

namespace laneway {

/// Bytes of a block. For longer blocks, places on the way take too much memory, and lanes too much time.
static constexpr std::int64_t longest_by_digits = 256;

/// Processes know how long the blocks are that pass them. So blocks follow each other without gaps, and one that is
/// long for both of its processes goes straight, whatever the others are.
static void alltoallv_tuna(const Alltoallv& call, const Decomposition& on, const Tunables& tunables)
{
    const auto& [input, input_part, result, result_part, of_node, all, passing] = call;
    const std::int64_t longest = tunables["longest"] / size_of(result.type);
    const int radix = static_cast<int>(tunables["radix"]);
    go_by_digits(input, input_part, result, result_part, passing, longest, radix, on.world);
    to_partners(input, input_part, result, result_part, on.world, longest);
}

static const Register<Alltoallv> entry({
    .run = alltoallv_tuna,
    .flat = true,
    .told = Told::passing,
    .memory = {.message = 1, .bytes_a_process = 2 * longest_by_digits},
    .tunables = {radix_tunable,
                 {"longest", "bytes", longest_by_digits, 1,
                  std::numeric_limits<std::int32_t>::max(),
                  "blocks that have more go straight, as in sparse"}},
    .about =
        {.idea = "blocks go the distance to their target digit by digit, each at its own length; "
                 "lengths travel ahead, a round less. Long blocks go straight",
         .rounds = "log_r p",
         .volume = "at most m ((log_r p - 1) floor(p (r - 1)/r) + p - r**(log_r p - 1)) a process",
         .memory = "at most 2 (p-1) m; p m more where the call is in place",
         .source = "Fan, Domke, Ba, Kumar 2024 (TuNA); that long blocks go straight is ours"},
});

}  // namespace laneway
