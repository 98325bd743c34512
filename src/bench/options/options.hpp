// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/options/amount.hpp"
#include "bench/timing/start.hpp"
#include "bench/timing/turns.hpp"
#include "blocks/layouts.hpp"

namespace laneway::bench {

/// The settings that the command line asks for. Names (collectives, algorithms, types) are as typed; they get their
/// meaning in plan().
struct Options {
    enum class Task { measure, overhead, requests, hops, probe, start, list, list_native, help };

    Task task = Task::measure;
    bool only_check = false;  ///< Nothing is done but to say whether the options make sense.
    std::vector<std::string> collectives;
    std::vector<std::string> algorithms = {"all"};  ///< Also "name#label".
    std::map<std::string, double> delays;           ///< Factor by which a candidate is slowed.
    std::vector<Amount> counts = {{1}, {1000}, {100000}};
    std::string datatype;  ///< Empty: a type that suits.
    std::string op = "sum";
    std::optional<int> root = 0;  ///< None: the root rotates from repetition to repetition.
    bool in_place = false;
    BlockLayout layout;
    std::size_t cold = 0;  ///< Bytes of the cache that no buffer may still lie in; 0: warm.
    double memory = 1e9;   ///< Bytes that a process may use for buffers.
    int threads = 1;
    int least_ranks = 0;  ///< The least ranks, then twice as many and so on; 0: all ranks only.

    Sync sync = Sync::barrier;
    Arrival arrival;
    Budget budget;
    int inner_repetitions = 0;  ///< Calls in one repetition; 0: 1, or as the probe likes.
    bool verify = true;

    std::string probe;                           ///< The probe, for Task::probe.
    std::vector<int> virtual_lanes = {1, 2, 4};  ///< The processes of a node that take part in it.

    unsigned seed = 1;
    int run = 1;
    std::string binding = "all";
    std::string placement;  ///< Empty: not said.
    std::string out;        ///< Empty: standard output.
    std::string plan;       ///< A file of blocks; empty: none.
    bool more = false;      ///< Blocks are added to the plan while it is carried out.
    bool forces = false;    ///< Some block of the plan has native:NAME.
    std::string block;      ///< The name of the block that has these options; empty: none.
};

}  // namespace laneway::bench
