// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "messages/comm.hpp"

/// The contexts by which messages on one private communicator are told apart (Comm::part).
namespace laneway::context {

inline constexpr int world = 0, node = 1;

/// The context of answers, which end the user's requests: messages to oneself. An answer's receive is there before its
/// operation begins. An earlier operation that has the same tags may still send to itself then: copies on the world,
/// shares on the node.
inline constexpr int answers = 2;

inline constexpr int first_lane = 3;

/// The tag of an answer on a world.
inline int answer_tag(const Comm& on, int tag) { return on.tag_of(tag) - on.context() + answers; }

}  // namespace laneway::context
