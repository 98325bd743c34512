// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "carriers/simulated/machine.hpp"
#include "simulate/record.hpp"

namespace laneway::simulate {

/// The parts of an explanation of a schedule, a line of JSON each.
struct Explanation {
    bool rounds = false;    ///< each round, with the load that it carries
    bool messages = false;  ///< each message
    int rank = -1;          ///< the rank whose steps are told; negative: none
};

/// Prints a schedule's costs, and the parts that are asked for besides.
void explain(const Recorded& recorded, const Job& job, int network_lanes,
             const Explanation& wanted);

/// Prints a schedule for LogGOPSim.
void print_goal(const Schedule& schedule, const Machine& machine);

}  // namespace laneway::simulate
