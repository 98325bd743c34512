// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "call/front/member.hpp"
#include "choose/rules.hpp"
#include "choose/settings.hpp"

namespace laneway {

/// Says so, once and on one process, where all processes of MPI_COMM_WORLD are on one node and LANEWAY_ALGORITHM
/// asks for another algorithm than native. Such an algorithm serves calls of every size and has no lanes to gain by.
/// The message goes to standard error. (A profile's rules can ask for nodes, and were measured.)
void say_if_on_one_node(const Settings& settings, const Shape& shape, Member me);

}  // namespace laneway
