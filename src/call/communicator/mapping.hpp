// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "choose/settings.hpp"
#include "decomposition/decomposition.hpp"
#include "layout/layout.hpp"

/// The settings' view of a communicator of the user's: where its processes are, and what serves components there.
namespace laneway {

/// Where the processes of a communicator are.
struct Whereabouts {
    Mapping mapping;
    Cores cores = Cores::unknown;
};

/// The nodes, sockets and cores of a communicator of `size` processes. Collective, by one allgather.
Whereabouts find_whereabouts(MPI_Comm comm, int size, const Settings& settings);

/// The shape of processes on these nodes, which share cores in this way unless the settings say otherwise.
Shape shape_of(const Nodes& nodes, Cores cores, const Settings& settings);

/// The choices that serve components. The settings must outlive them and what is made of them.
ServedParts served_parts(Cores cores, const Settings& settings);

}  // namespace laneway
