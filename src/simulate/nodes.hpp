// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

#include "layout/layout.hpp"

namespace laneway::simulate {

/// The nodes in a text: `4+4+3`, or `4x16` for sixteen of four. Throws Misunderstood.
Nodes nodes_of(std::string_view text);

/// Nodes with the ranks dealt out in turn: one to each that has room, again and again.
Nodes dealt_to(Nodes nodes);

/// A mapping of nodes whose ranks fill sockets of so many processes, or go round so many sockets. Both are 0: one
/// socket each.
Mapping mapping_of(Nodes nodes, std::int64_t socket_size, std::int64_t sockets_of_node);

}  // namespace laneway::simulate
