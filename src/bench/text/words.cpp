// SPDX-License-Identifier: BSD-3-Clause
#include "bench/text/words.hpp"

#include <algorithm>
#include <cctype>

#include "text/text.hpp"

namespace laneway::bench {

std::vector<std::string> split(std::string_view list)
{
    std::vector<std::string> words;
    while (!list.empty())
        if (const std::string_view word = next_outside(list, ','); !word.empty())
            words.emplace_back(word);
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
