// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "choose/settings.hpp"
#include "decomposition/decomposition.hpp"
#include "layout/layout.hpp"

/// What settings say of a communicator of the user's: where its processes are, and what serves components there.
namespace laneway {

/// The nodes and sockets of a communicator of `size` processes. Collective, by one allgather.
Mapping find_mapping(MPI_Comm comm, int size, const Settings& settings);

Shape shape_of(const Nodes& nodes, const Settings& settings);

/// What serves components. The settings must outlive it and what is made of it.
ServedParts served_parts(const Settings& settings);

}  // namespace laneway
