// SPDX-License-Identifier: BSD-3-Clause
#include "bench/text/words.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace laneway::bench {

std::vector<std::string> split(std::string_view list)
{
    std::vector<std::string> words;
    std::string word;
    int depth = 0;
    const auto end_word = [&] {
        if (!word.empty()) words.push_back(std::exchange(word, {}));
    };
    for (const char c : list) {
        depth += (c == '(') - (c == ')');
        if (c == ',' && depth == 0)
            end_word();
        else
            word += c;
    }
    end_word();
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
