// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "collectives/tunables.hpp"
#include "data/segments.hpp"
#include "decomposition/decomposition.hpp"

namespace laneway {

/// Bytes of a segment of a reduction, as the algorithm's tunable says; `whole_message` where the operator must see the
/// message as a whole.
inline std::int64_t segment_for(MPI_Op op, const Decomposition& on, const Tunables& tunables)
{
    return on.world.keeps_whole(op) ? whole_message : tunables["segment"];
}

}  // namespace laneway
