// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string>

/// MPI's names of its own datatypes and operators. (Both may be numbers: no overloads.)
namespace laneway {

/// The name of a datatype, as MPI_DOUBLE; empty for the types that programs make, whatever they call them.
std::string type_name(MPI_Datatype type);

/// The name of an operator, as MPI_MAX; empty for the operators that programs make.
std::string op_name(MPI_Op op);

}  // namespace laneway
