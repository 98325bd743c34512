// SPDX-License-Identifier: BSD-3-Clause
#include "../wrong.hpp"
#include "decomposition/components.hpp"

namespace laneway::property {

static void allreduce_writes_into_gap(const Allreduce& call, const Decomposition& on)
{
    native::serve(call, on.world);
    // In a type of two ints, elements 20 bytes apart, the last byte belongs to nobody.
    constexpr MPI_Aint two_ints_and_gaps = 20;
    if (call.result.extent == two_ints_and_gaps)
        *static_cast<char*>(advanced(call.result.data, two_ints_and_gaps - 1)) ^= 1;
}

static const RegisterWrong<Allreduce> entry({.run = allreduce_writes_into_gap, .about = {}});

}  // namespace laneway::property
