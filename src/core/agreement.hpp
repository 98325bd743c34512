// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>

#include "core/settings.hpp"

namespace laneway {

/// The settings that hold on `comm`: this process's own where all agree, else those of its rank 0; but
/// where some process's cannot be understood, those of the lowest such rank, which make all native.
/// Says so once, and once what cannot be understood; where any process asks for LANEWAY_STRICT, that
/// ends the job.
/// Collective; the one thing that runs on a communicator of the user's, as part of its first
/// collective call, by collectives alone.
std::shared_ptr<const Settings> agree_on_settings(MPI_Comm comm);

}  // namespace laneway
