// SPDX-License-Identifier: BSD-3-Clause
#include "bench/options/long_options.hpp"

#include <algorithm>
#include <string_view>

namespace laneway::bench {
namespace {

/// The only option of that name, or else the only one whose name begins so; null: there is none, or several.
const LongOption* meant_by(std::string_view name, const std::vector<LongOption>& known)
{
    const auto have = [&](const auto& fits) {
        std::vector<const LongOption*> found;
        for (const LongOption& option : known)
            if (std::ranges::any_of(option.names, fits)) found.push_back(&option);
        return found;
    };
    auto found = have([&](const std::string& own) { return own == name; });
    if (found.empty()) found = have([&](const std::string& own) { return own.starts_with(name); });
    return found.size() == 1 ? found.front() : nullptr;
}

/// The long option that a word gives; null: the word is a short option, or none.
const LongOption* option_in(std::string_view word, const std::vector<LongOption>& known)
{
    const std::string_view front = word.substr(0, word.find('='));
    if (front.starts_with("--")) return meant_by(front.substr(2), known);
    return front.starts_with('-') && front.size() > 2 ? meant_by(front.substr(1), known) : nullptr;
}

}  // namespace

std::vector<std::string> in_full(const std::vector<std::string>& words,
                                 const std::vector<LongOption>& known)
{
    std::vector<std::string> full;
    for (const std::string& word : words) {
        const LongOption* const option = option_in(word, known);
        const std::size_t equals = std::min(word.find('='), word.size());
        if (option == nullptr) {
            full.push_back(word);
        } else if (option->takes_value && equals < word.size()) {
            full.push_back("--" + option->names.front());
            full.push_back(word.substr(equals + 1));
        } else {
            full.push_back("--" + option->names.front() + word.substr(equals));
        }
    }
    return full;
}

}  // namespace laneway::bench
