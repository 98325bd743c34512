// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "collectives/facts_of.hpp"
#include "messages/wire.hpp"

namespace laneway::property {

/// The selector's facts of data movement: `bytes` a rank, `copies` of them in the message.
inline Facts wire_facts(std::size_t bytes, int copies)
{
    const auto length = static_cast<std::int64_t>(bytes);
    return {.count = length == 0 ? 0 : length / Unit::dividing(length, copies)->size()};
}

}  // namespace laneway::property
