// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "call/front/member.hpp"
#include "choose/rules.hpp"
#include "choose/settings.hpp"

namespace laneway {

/// Where all processes of MPI_COMM_WORLD are on one node and LANEWAY_ALGORITHM asks for another
/// algorithm than native, which then serves calls of every size and has no lanes to gain by: says so on
/// standard error, on one process, once. (A profile's rules can ask for nodes, and were measured.)
void say_if_on_one_node(const Settings& settings, const Shape& shape, Member me);

}  // namespace laneway
