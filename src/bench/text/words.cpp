// SPDX-License-Identifier: BSD-3-Clause
#include "bench/text/words.hpp"

#include <algorithm>
#include <cctype>

namespace laneway::bench {

std::vector<std::string> split(std::string_view list)
{
    std::vector<std::string> words;
    for (std::size_t begin = 0; begin <= list.size();) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        if (end > begin) words.emplace_back(list.substr(begin, end - begin));
        begin = end + 1;
    }
    return words;
}

std::string joined(const std::vector<std::string>& words)
{
    std::string list;
    for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
    return list;
}

std::string plain_name(std::string name)
{
    std::ranges::transform(name, name.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return name.starts_with("mpi_") ? name.substr(4) : name;
}

}  // namespace laneway::bench
