// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace laneway::in_process {

/// Compares what the carrier makes of datatypes of all kinds that algorithms make with how the MPI library packs and
/// unpacks them. Prints what differs; true: nothing does.
bool types_are_as_mpi_packs_them();

}  // namespace laneway::in_process
