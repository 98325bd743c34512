// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/job/team.hpp"
#include "bench/options/options.hpp"
#include "bench/text/sink.hpp"

namespace laneway::bench {

/// What nonblocking and persistent collectives take, the library's and ours, against its blocking ones: a
/// whole call, or a restart; and how much of a nonblocking one goes on beside computation, as IMB-NBC
/// defines it. Collective over the team.
void measure_requests(const Team& team, const Options& options, Sink& sink);

}  // namespace laneway::bench
