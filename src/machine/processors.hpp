// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The processors of the machine, and those of this process.
namespace laneway {

/// Where the kernel says which processors there are.
inline constexpr const char* folder_of_processors = "/sys/devices/system/cpu";

/// The first line of a file; empty where it cannot be read.
std::string first_line_of(const std::string& file);

/// The processors of a list such as `0-3,8`. Throws Misunderstood.
std::vector<int> listed_processors(std::string_view list);

/// Processors that this process may run on; empty where that cannot be told.
std::vector<int> own_processors();

/// The socket of each processor, as `folder` (/sys/devices/system/cpu) says; negative: it is on none. Sockets are
/// numbered by their first processors. Empty where nothing can be read.
std::vector<int> sockets_of_processors(const std::string& folder);

/// The socket that all `processors` are on.
std::optional<int> common_socket(const std::vector<int>& socket_of,
                                 const std::vector<int>& processors);

}  // namespace laneway
