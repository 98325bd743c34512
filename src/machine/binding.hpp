// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace laneway {

/// How the processes of a job share the network lanes of their node.
enum class Binding : unsigned char {
    unknown,
    lane,  ///< each has a lane, or some lanes, of its own
    all,   ///< each has all
    one,   ///< all have the same one
};

/// The name of a binding in rules and variables.
std::string_view name_of_binding(Binding binding);

/// The binding of that name; empty: there is none.
std::optional<Binding> binding_named(std::string_view name);

/// The network devices that a process's messages are restricted to.
struct OwnDevices {
    std::string names =
        {};  ///< the variables that name them, with their values; empty: there are none
    bool several = false;  ///< whether some variable names several devices
};

/// The devices of this process, by the variables of its MPI library.
OwnDevices own_devices();

/// The binding where processes have `own` devices, which are the `same` for all of them or not, on nodes of so many
/// lanes.
Binding binding_of(const OwnDevices& own, bool same, int lanes);

}  // namespace laneway
