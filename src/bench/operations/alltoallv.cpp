// SPDX-License-Identifier: BSD-3-Clause
#include <laneway.h>

#include "bench/operations/operation.hpp"

namespace laneway::bench {
namespace {

int call_alltoallv(const Problem& on, const char* algorithm, int, const Buffers& memory)
{
    return in_form(on, laneway_alltoallv_with, laneway_ialltoallv_with, algorithm,
                   input_of(on, memory), on.sent_counts.data(), on.sent_displacements.data(),
                   on.type.handle, memory.output, on.counts.data(), on.displacements.data(),
                   on.type.handle, on.comm);
}

Expected expected_alltoallv(const Problem& on, int) { return exchanged(on); }

const Registration registration_alltoallv({.collective = "alltoallv",
                                           .has_forms = true,
                                           .has_in_place = true,
                                           .flow = BlockFlow::between_pairs,
                                           .input = sent_elements,
                                           .output = vector_elements,
                                           .fill = contribute<sent_elements>,
                                           .call = call_alltoallv,
                                           .expected = expected_alltoallv});

}  // namespace
}  // namespace laneway::bench
