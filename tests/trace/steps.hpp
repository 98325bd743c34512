// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "recorder.hpp"

namespace laneway::trace {

/// A message of a run, and the communication step in which it travels.
struct Message {
    int from;
    int to;
    std::int64_t bytes;
    int step;
};

/// The messages of a run in the k-lane model (Traeff and Hunold 2020, Section 5), each in the
/// earliest step that the events of all processes allow: a process sends what it has heard in an
/// earlier step, one message a step to other nodes and, at the same time, one on each channel to each
/// process of its own. Throws std::logic_error where a message is awaited that was never sent.
std::vector<Message> in_steps(const std::vector<std::vector<Event>>& by_rank,
                              const std::vector<int>& node_of);

}  // namespace laneway::trace
