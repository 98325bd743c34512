// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>

#include "choose/settings.hpp"

/// What all processes of MPI_COMM_WORLD have agreed on, together, on whichever communicator: those of a communicator of
/// theirs need not agree again. Each process keeps it for itself; README.md beside this has the proof that all know alike.
namespace laneway {

/// The settings of all processes of `comm`; null: they have to agree. Local.
std::shared_ptr<const Settings> agreed_before(MPI_Comm comm);

/// All processes of `comm` have just found theirs equal, and none makes collectives in several threads at once.
void remember_agreed(MPI_Comm comm, const std::shared_ptr<const Settings>& settings);

}  // namespace laneway
