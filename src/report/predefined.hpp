// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string>

/// What MPI calls its own datatypes and operators. (Both may be numbers: no overloads.)
namespace laneway {

/// As in MPI_DOUBLE; empty for the types that programs make, whatever they call them.
std::string type_name(MPI_Datatype type);

/// As in MPI_MAX; empty for the operators that programs make.
std::string op_name(MPI_Op op);

}  // namespace laneway
