// SPDX-License-Identifier: BSD-3-Clause
#include <laneway.h>

#include "bench/operations/operation.hpp"

namespace laneway::bench {
namespace {

std::size_t input_allgatherv(const Problem& on) { return layout_block(on, on.rank); }

void fill_allgatherv(const Problem& on, int, const Buffers& memory)
{
    std::byte* const own = on.in_place ? vector_block_of(on, memory.output, on.rank) : memory.input;
    write_contribution(on, own, input_allgatherv(on));
}

int call_allgatherv(const Problem& on, const char* algorithm, int, const Buffers& memory)
{
    return in_form(on, laneway_allgatherv_with, laneway_iallgatherv_with, algorithm,
                   input_of(on, memory), static_cast<int>(input_allgatherv(on)), on.type.handle,
                   memory.output, on.counts.data(), on.displacements.data(), on.type.handle,
                   on.comm);
}

Expected expected_allgatherv(const Problem& on, int) { return vector_gathered(on); }

const Registration registration_allgatherv({.collective = "allgatherv",
                                            .has_forms = true,
                                            .has_in_place = true,
                                            .flow = BlockFlow::with_all,
                                            .input = input_allgatherv,
                                            .output = vector_elements,
                                            .fill = fill_allgatherv,
                                            .call = call_allgatherv,
                                            .expected = expected_allgatherv});

}  // namespace
}  // namespace laneway::bench
