// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string_view>

#include "choose/settings.hpp"

/// Messages of the reproducible mode (choose/reproducible.hpp) on standard error, each once a process.
namespace laneway {

/// Whether the calling process's own settings ask for the mode.
bool is_reproducible_asked_for();

/// Says which settings the mode overrules. On rank 0 of the job, or of a communicator where that cannot be told;
/// `rank`: the calling process's in the communicator.
void say_what_is_overruled(const Settings& settings, int rank);

/// Says that a reduction on `comm`, `call` by name, is left to the library: its result may depend on more than it
/// should. On rank 0 of `comm`, which ends the job where the settings are strict. `rank`: the calling process's in
/// `comm`.
void say_not_reproducible(const Settings& settings, MPI_Comm comm, int rank, std::string_view call,
                          std::string_view why);

/// As above, of a call on a communicator of which nothing else may be known, by the calling process's own settings.
void say_not_reproducible(MPI_Comm comm, std::string_view call, std::string_view why);

}  // namespace laneway
