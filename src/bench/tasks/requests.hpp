// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/job/team.hpp"
#include "bench/options/options.hpp"
#include "bench/text/sink.hpp"

namespace laneway::bench {

/// Measures nonblocking and persistent collectives, the library's and ours, against the library's blocking ones. It
/// takes the time of a whole call, or of a restart. It also takes how much of a nonblocking call goes on beside
/// computation, as IMB-NBC defines that. Collective over the team.
void measure_requests(const Team& team, const Options& options, Sink& sink);

}  // namespace laneway::bench
