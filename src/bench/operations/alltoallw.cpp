// SPDX-License-Identifier: BSD-3-Clause
#include <laneway.h>

#include "bench/operations/operation.hpp"

namespace laneway::bench {
namespace {

int call_alltoallw(const Problem& on, const char* algorithm, int, const Buffers& memory)
{
    return in_form(on, laneway_alltoallw_with, laneway_ialltoallw_with, algorithm,
                   input_of(on, memory), on.sent_counts.data(), on.sent_places.data(),
                   on.peer_types.data(), memory.output, on.counts.data(), on.places.data(),
                   on.peer_types.data(), on.comm);
}

Expected expected_alltoallw(const Problem& on, int) { return exchanged(on); }

const Registration registration_alltoallw({.collective = "alltoallw",
                                           .has_forms = true,
                                           .has_in_place = true,
                                           .flow = BlockFlow::between_pairs,
                                           .has_peer_types = true,
                                           .input = sent_elements,
                                           .output = vector_elements,
                                           .fill = contribute<sent_elements>,
                                           .call = call_alltoallw,
                                           .expected = expected_alltoallw});

}  // namespace
}  // namespace laneway::bench
