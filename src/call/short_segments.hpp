// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

#include "call/front/member.hpp"
#include "collectives/tunables.hpp"

namespace laneway {

/// Says so where a call of `bytes` bytes is cut into thousands of segments that are too short for any network.
/// On standard error, on the communicator's rank 0, once a process. Such calls are served as they are asked for.
void say_if_segments_are_short(std::string_view algorithm, const Tunables& tunables,
                               std::int64_t bytes, Member me);

}  // namespace laneway
