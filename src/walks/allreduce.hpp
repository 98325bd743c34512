// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <vector>

#include "data/buffer.hpp"
#include "layout/order.hpp"
#include "messages/comm.hpp"
#include "walks/folded.hpp"

/// Reductions to all. Operands are combined in the order of positions, unless phases say otherwise.
namespace laneway {

/// Groups of `radix` processes exchange their sums, at `radix` times the distance in each round.
void allreduce_multiplying(const Buffer& input, const Buffer& result, MPI_Op op, int radix,
                           const Order& order, const Comm& comm);

/// A reduce-scatter and an allgather of parts, one an actor, in these phases of actors.
void allreduce_in_phases(const Buffer& input, const Buffer& result, MPI_Op op, const Phases& phases,
                         const Folded& folded, const Comm& comm);

}  // namespace laneway
