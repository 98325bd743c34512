// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switch/pace.hpp"

namespace laneway::lanes {

inline constexpr Time us = 1000, ms = 1000 * us;

}  // namespace laneway::lanes
