// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "carriers/simulated/simulated.hpp"
#include "carriers/simulated/trace.hpp"
#include "simulate/json.hpp"
#include "simulate/record.hpp"

namespace laneway::simulate {

/// A call that has been simulated, and what is to be told of it.
struct Outcome {
    const Schedule& schedule;
    const Layout& layout;
    const Machine& machine;
    const Simulated& simulated;
    const Trace* trace;  ///< null: none was asked for

    /// The busiest lane and link, and with a trace what the time went to, as members of a row.
    Json json() const;
    /// Prints a line for each lane and each link that something passes.
    void print_loads() const;
};

/// Prints a line for each step that takes time, and each message on a lane.
void print_trace(const Schedule& schedule, const Layout& layout, const Machine& machine,
                 const Trace& trace);

}  // namespace laneway::simulate
