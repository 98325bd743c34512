// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <vector>

#include "forms.hpp"

/// The operators under test, each with operands. On these, every order of operations that MPI allows
/// gives the same bits, except where the name says `random`.
namespace laneway::property {

struct Operator {
    const char* name;
    MPI_Op op;
    Kind kind;  ///< kind of elements that it takes; user-defined ones take any ints
    bool user = false;
    bool exact = true;
    /// Operands that differ from seed to seed, packed.
    Bytes (*operands)(Kind kind, int elements, unsigned seed) = nullptr;

    bool takes(const Form& form) const;
};

/// Call after MPI_Init; the user-defined operators live until MPI_Finalize.
const std::vector<Operator>& operators();

/// Bytes without any meaning, for what is only moved.
Bytes arbitrary(Kind kind, int elements, unsigned seed);

}  // namespace laneway::property
