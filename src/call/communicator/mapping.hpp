// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "choose/settings.hpp"
#include "decomposition/decomposition.hpp"
#include "layout/layout.hpp"

/// The settings' view of a communicator of the user's: where its processes are, and what serves components there.
namespace laneway {

/// The nodes and sockets of a communicator of `size` processes. Collective, by one allgather.
Mapping find_mapping(MPI_Comm comm, int size, const Settings& settings);

Shape shape_of(const Nodes& nodes, const Settings& settings);

/// The choices that serve components. The settings must outlive them and what is made of them.
ServedParts served_parts(const Settings& settings);

}  // namespace laneway
