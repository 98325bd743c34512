// SPDX-License-Identifier: BSD-3-Clause
#include <laneway.h>

#include "bench/operations/operation.hpp"

namespace laneway::bench {
namespace {

int call_neighbor_alltoallv(const Problem& on, const char* algorithm, int, const Buffers& memory)
{
    return in_form(on, laneway_neighbor_alltoallv_with, laneway_ineighbor_alltoallv_with, algorithm,
                   memory.input, on.destinations.counts.data(),
                   on.destinations.displacements.data(), on.type.handle, memory.output,
                   on.sources.counts.data(), on.sources.displacements.data(), on.type.handle,
                   on.comm);
}

Expected expected_neighbor_alltoallv(const Problem& on, int) { return exchanged(on); }

const Registration registration_neighbor_alltoallv({.collective = "neighbor_alltoallv",
                                                    .has_forms = true,
                                                    .flow = BlockFlow::between_pairs,
                                                    .has_peer_types = false,
                                                    .of_neighbors = true,
                                                    .input = sent_elements,
                                                    .output = vector_elements,
                                                    .fill = contribute<sent_elements>,
                                                    .call = call_neighbor_alltoallv,
                                                    .expected = expected_neighbor_alltoallv});

}  // namespace
}  // namespace laneway::bench
