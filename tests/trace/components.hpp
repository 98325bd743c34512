// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace laneway::trace {

/// Registers `components`, the recording algorithm of every collective; before the registry is read.
void register_components();

}  // namespace laneway::trace
