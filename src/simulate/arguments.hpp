// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <climits>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "carriers/simulated/machine.hpp"
#include "simulate/record.hpp"

namespace laneway::simulate {

/// The options of the command line, and what they mean.
class Arguments {
public:
    explicit Arguments(std::map<std::string, std::string> given) : given_(std::move(given)) {}

    /// @name The value of an option; where it is not given, `preset`
    /// Throw Misunderstood.
    /// @{
    std::string text(const std::string& name, const std::string& preset) const;
    std::string text(const std::string& name) const;  ///< must be given
    /// Bytes, with or without a unit.
    std::int64_t bytes(const std::string& name, std::int64_t preset) const;

    /// A time in seconds, with or without a unit; 0: it is not there.
    double seconds(const std::string& name) const;

    std::int64_t whole(const std::string& name, std::int64_t least, std::int64_t preset,
                       std::int64_t most = INT64_MAX) const;
    /// An int.
    int number(const std::string& name, int least, int preset, int most = INT_MAX) const;
    double decimal(const std::string& name, double preset) const;
    bool yes(const std::string& name) const { return text(name, "no") == "yes"; }
    /// @}

private:
    std::map<std::string, std::string> given_;
};

/// The call and where it is made.
Job job_of(const Arguments& arguments);

/// The machine: times in seconds, rates in bytes a second; what is not given takes no time. Throws Misunderstood
/// where the machine has no place for that many nodes.
Machine machine_of(const Arguments& arguments, int nodes);

/// The bytes that caches hold of each process's data, and the same machine where these data fit into caches.
std::pair<std::int64_t, Machine> cached_of(const Arguments& arguments, Machine machine);

}  // namespace laneway::simulate
