// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace laneway::bench {

/// What the command line asks for. Names (collectives, algorithms, types) are as typed; they get
/// their meaning in plan().
struct Options {
    enum class Task { measure, overhead, probe, list, help };

    Task task = Task::measure;
    std::vector<std::string> collectives;
    std::vector<std::string> algorithms = {"all"};
    std::vector<int> counts = {1, 1000, 100000};
    std::string datatype = "int";
    std::string op = "sum";
    std::string probe;                           ///< Task::probe: which,
    std::vector<int> virtual_lanes = {1, 2, 4};  ///< with how many processes of a node,
    int inner_repetitions = 0;    ///< exchanging how often in a repetition; 0: as the probe likes.
    std::optional<int> root = 0;  ///< None: the root rotates from repetition to repetition.
    double seconds = 1.0;         ///< Per collective and count, shared by its algorithms.
    int repetitions = 1000;       ///< At most, for each algorithm of a collective and count.
    int warmup = 3;
    unsigned seed = 1;
    int run = 1;
    std::string binding = "all";
    std::string out;  ///< Empty: standard output.
};

/// A command line that makes no sense; what() says so in one line.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Reads the command line; throws UsageError. Needs no MPI.
Options parse(int argc, char** argv);

/// The text of --help.
std::string usage();

}  // namespace laneway::bench
