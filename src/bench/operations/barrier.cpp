// SPDX-License-Identifier: BSD-3-Clause
#include <laneway.h>

#include "bench/operations/operation.hpp"

namespace laneway::bench {
namespace {

void fill_barrier(const Problem&, int, const Buffers&) {}

int call_barrier(const Problem& on, const char* algorithm, int, const Buffers&)
{
    return in_form(on, laneway_barrier_with, laneway_ibarrier_with, algorithm, on.comm);
}

Expected expected_barrier(const Problem&, int) { return anything(); }

const Registration registration_barrier({.collective = "barrier",
                                         .has_forms = true,
                                         .has_data = false,
                                         .input = no_elements,
                                         .output = no_elements,
                                         .fill = fill_barrier,
                                         .call = call_barrier,
                                         .expected = expected_barrier});

}  // namespace
}  // namespace laneway::bench
