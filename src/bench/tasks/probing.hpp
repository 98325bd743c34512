// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/tasks/session.hpp"

namespace laneway::bench {

/// Verifies and times the probe that the options name, at every count. Writes a row of kind `probe` for every
/// repetition, and one of kind `traffic` for every block of them. That one says what the network devices of all nodes
/// sent meanwhile. Throws Misunderstood, alike on all ranks. Collective.
void run_probe(Session& session);

}  // namespace laneway::bench
