// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>

#include "choose/settings.hpp"

/// The settings that all processes of MPI_COMM_WORLD have agreed on, together, on whichever communicator. Processes of
/// another communicator of theirs need not agree again. Each process keeps the settings for itself; README.md beside
/// this has the proof that all know alike.
namespace laneway {

/// The settings that all processes of `comm` have agreed on before; null: they have to agree. Local.
std::shared_ptr<const Settings> agreed_before(MPI_Comm comm);

/// To be called where all processes of `comm` have just found their settings equal, and none makes collectives in
/// several threads at once.
void remember_agreed(MPI_Comm comm, const std::shared_ptr<const Settings>& settings);

}  // namespace laneway
