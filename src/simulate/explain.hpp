// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "carriers/simulated/machine.hpp"
#include "simulate/record.hpp"

namespace laneway::simulate {

/// What is to be told of a schedule, a line of JSON each.
struct Explanation {
    bool rounds = false;    ///< what each round carries
    bool messages = false;  ///< each message
    int rank = -1;          ///< whose steps; negative: nobody's
};

/// Prints what it costs, and what is asked for besides.
void explain(const Recorded& recorded, const Job& job, int network_lanes,
             const Explanation& wanted);

/// Prints it for LogGOPSim.
void print_goal(const Schedule& schedule, const Machine& machine);

}  // namespace laneway::simulate
