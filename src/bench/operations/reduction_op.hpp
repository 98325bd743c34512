// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "bench/operations/element_type.hpp"

namespace laneway::bench {

/// A reduction operator that can be asked for by name.
struct ReductionOp {
    enum class Domain { order, arithmetic, truth, bits, place };

    const char* name;
    MPI_Op handle;
    Domain domain;
    Value (*apply)(Value, Value);
};

/// Throws Misunderstood for an unknown name. MPI_SUM and mpi_sum mean sum.
const ReductionOp& reduction_op(const std::string& name);

std::vector<std::string> reduction_op_names();

/// Whether MPI defines `op` on `type`.
bool applies(const ReductionOp& op, const ElementType& type);

}  // namespace laneway::bench
