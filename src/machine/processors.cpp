// SPDX-License-Identifier: BSD-3-Clause
#include "machine/processors.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "text/text.hpp"

namespace laneway {
namespace {

/// No machine has more.
constexpr int most_processors = 1 << 13;

}  // namespace

std::string first_line_of(const std::string& file)
{
    std::string line;
    std::getline(std::ifstream(file), line);
    return line;
}

std::vector<int> listed_processors(std::string_view list)
{
    const auto processor = [](std::string_view word) {
        return static_cast<int>(number(word, 0, most_processors - 1));
    };
    std::vector<int> processors;
    while (!list.empty()) {
        std::string_view rest = next(list, ',');
        const int first = processor(next(rest, '-'));
        const int last = rest.empty() ? first : processor(rest);
        for (int one = first; one <= last; ++one) processors.push_back(one);
    }
    return processors;
}

std::vector<int> own_processors()
{
    std::array<cpu_set_t, most_processors / CPU_SETSIZE> set{};
    std::vector<int> processors;
    if (sched_getaffinity(getpid(), sizeof set, set.data()) != 0) return processors;
    for (int one = 0; one < most_processors; ++one)
        if (CPU_ISSET_S(static_cast<std::size_t>(one), sizeof set, set.data()))
            processors.push_back(one);
    return processors;
}

std::vector<int> sockets_of_processors(const std::string& folder)
{
    std::vector<int> sockets;
    try {
        for (const int first : listed_processors(first_line_of(folder + "/present"))) {
            const auto known = static_cast<int>(sockets.size());
            if (first < known && sockets[static_cast<std::size_t>(first)] >= 0) continue;
            // One file a socket is read in this way; by physical_package_id it would be one a processor.
            const std::string siblings = first_line_of(folder + "/cpu" + std::to_string(first) +
                                                       "/topology/core_siblings_list");
            for (const int one : listed_processors(siblings)) {
                if (one >= static_cast<int>(sockets.size()))
                    sockets.resize(static_cast<std::size_t>(one) + 1, -1);
                sockets[static_cast<std::size_t>(one)] = first;
            }
        }
    } catch (const Misunderstood&) {
        sockets.clear();
    }
    return sockets;
}

std::optional<int> common_socket(const std::vector<int>& socket_of,
                                 const std::vector<int>& processors)
{
    const auto socket = [&](int processor) {
        const auto index = static_cast<std::size_t>(processor);
        return index < socket_of.size() ? socket_of[index] : -1;
    };
    if (processors.empty()) return std::nullopt;
    const int first = socket(processors.front());
    const bool is_common =
        std::ranges::all_of(processors, [&](int one) { return socket(one) == first; });
    return is_common && first >= 0 ? std::optional(first) : std::nullopt;
}

}  // namespace laneway
