// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <variant>

namespace laneway::simulate {

/// The command to carry out, and the options that are given, by name.
struct Asked {
    std::string command;
    std::map<std::string, std::string> options;
};

/// Reads `laneway-simulate COMMAND --name value ...`; or returns the help that is asked for. Throws Misunderstood.
std::variant<Asked, std::string> read(int argc, char** argv);

}  // namespace laneway::simulate
