// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "decomposition/decomposition.hpp"
#include "text/random.hpp"

namespace laneway::in_process {

/// Where the ranks of a case run, with what each of them knows of that. Cases share it.
struct Machine {
    Machine(const Mapping& mapping, const NetworkLanes& lanes, const std::string& nodes_in_words);
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    std::shared_ptr<const Layout> layout;
    std::string name;
    std::deque<Parts> parts;  ///< by rank
    /// On all machines, operators of the user's may be called with parts of messages.
    static inline bool divides_operators = true;

    int ranks() const { return layout->ranks(); }
};

/// Draws nodes of equal or of any size, with any lanes, on half of the machines of any weights. Ranks are in order,
/// dealt out in turn, or in any order; those of a node are on any sockets.
std::unique_ptr<Machine> draw_machine(int ranks, Random& random);

/// Visits every way to put `ranks` ranks on nodes, with every number of lanes that makes a difference, alike and not.
/// Ranks of a node lie on two sockets in turn.
void for_each_machine(int ranks, const std::function<void(const Machine&)>& visit);

}  // namespace laneway::in_process
