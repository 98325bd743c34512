// SPDX-License-Identifier: BSD-3-Clause
#include <laneway.h>

#include "bench/operations/operation.hpp"

namespace laneway::bench {
namespace {

int call_neighbor_alltoallw(const Problem& on, const char* algorithm, int, const Buffers& memory)
{
    return in_form(on, laneway_neighbor_alltoallw_with, laneway_ineighbor_alltoallw_with, algorithm,
                   memory.input, on.destinations.counts.data(), on.destinations.places.data(),
                   on.destinations.types.data(), memory.output, on.sources.counts.data(),
                   on.sources.places.data(), on.sources.types.data(), on.comm);
}

Expected expected_neighbor_alltoallw(const Problem& on, int) { return exchanged(on); }

const Registration registration_neighbor_alltoallw({.collective = "neighbor_alltoallw",
                                                    .has_forms = true,
                                                    .flow = BlockFlow::between_pairs,
                                                    .has_peer_types = true,
                                                    .of_neighbors = true,
                                                    .input = sent_elements,
                                                    .output = vector_elements,
                                                    .fill = contribute<sent_elements>,
                                                    .call = call_neighbor_alltoallw,
                                                    .expected = expected_neighbor_alltoallw});

}  // namespace
}  // namespace laneway::bench
