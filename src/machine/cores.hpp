// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace laneway {

/// How the processes of a job share the cores of their machines.
enum class Cores : unsigned char {
    unknown,
    each,    ///< each has a core of its own
    shared,  ///< somewhere there are fewer cores than processes
};

/// The name of that in rules and variables.
std::string_view name_of_cores(Cores cores);

/// The way of sharing that has that name; empty: none has.
std::optional<Cores> cores_named(std::string_view name);

/// The processes of this process's job, as its launcher says; 0: it does not.
struct LaunchedProcesses {
    int here = 0;  ///< on this machine
    int all = 0;
};
LaunchedProcesses launched_processes();

/// The cores that a process knows of: hardware threads of a core count once.
struct OwnCores {
    std::int32_t first = 0;       ///< the number of the first core that it may use
    std::int32_t number = 0;      ///< cores that it may use; 0: not known
    std::int32_t of_machine = 0;  ///< cores of the machine
    std::int32_t processes = 0;   ///< processes of its job on the machine; 0: not known
};

/// The cores of this process, found once.
const OwnCores& own_cores();

/// Cores of the processors in a list of those that a process may use, on the machine that `folder`
/// (/sys/devices/system/cpu) describes. `processes` stays unknown.
OwnCores cores_among(const std::string& folder, std::span<const int> processors);

/// How processes of a job on one node share cores, of which these are known. A process that may use fewer cores than
/// there are processes was bound to them: then those that were bound to the same ones count.
Cores cores_of(std::span<const OwnCores> on_a_node);

/// How the processes of several nodes share cores, by those of two parts of them.
Cores both(Cores one, Cores other);

/// Whether all processes of the job are on this machine, and this has a core for each. Equal on all of them.
bool all_have_cores_here();

}  // namespace laneway
