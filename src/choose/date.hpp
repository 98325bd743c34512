// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace laneway {

/// The `2026-11-25` behind `word`. Throws Misunderstood where `text` is none.
std::string date_of(std::string_view word, std::string_view text);

/// The day of today, as 2026-11-25, in universal time.
std::string today();

}  // namespace laneway
