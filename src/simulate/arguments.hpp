// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <climits>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "carriers/simulated/machine.hpp"
#include "simulate/probe.hpp"
#include "simulate/record.hpp"

namespace laneway::simulate {

/// The command line: `laneway-simulate COMMAND --name value ...`. What reads it has read all that is there.
class Arguments {
public:
    /// Throws Misunderstood.
    Arguments(int argc, char** argv);

    const std::string& command() const { return command_; }

    /// @name The value of an option; where it is not given, `preset`
    /// Throw Misunderstood.
    /// @{
    std::string text(const std::string& name, const std::string& preset);
    std::string text(const std::string& name);  ///< must be given
    std::int64_t whole(const std::string& name, std::int64_t least, std::int64_t preset,
                       std::int64_t most = INT64_MAX);
    /// An int.
    int number(const std::string& name, int least, int preset, int most = INT_MAX);
    double decimal(const std::string& name, double preset);
    /// @}

    /// Throws Misunderstood where an option has not been asked for.
    void must_be_known() const;

private:
    std::string command_;
    std::map<std::string, std::string> given_;
    std::map<std::string, bool> asked_;
};

/// The call and where it is made.
Job job_of(Arguments& arguments);

/// A benchmark that is called as `job`.
Probe probe_of(Arguments& arguments, const Job& job);

/// Times in seconds, bytes by bytes a second; what is not given takes no time. Throws Misunderstood where it has
/// no place for that many nodes.
Machine machine_of(Arguments& arguments, int nodes);

/// The same machine where what a process works with fits into caches, and how many bytes these hold of each.
std::pair<std::int64_t, Machine> cached_of(Arguments& arguments, Machine machine);

}  // namespace laneway::simulate
