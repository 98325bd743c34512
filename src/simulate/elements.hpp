// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string>

namespace laneway::simulate {

/// A predefined datatype of C by the name that the benchmark has for it: int, double, 2int ... Null: there is
/// none of that name.
MPI_Datatype datatype_named(const std::string& name);

}  // namespace laneway::simulate
