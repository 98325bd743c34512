// SPDX-License-Identifier: BSD-3-Clause
#include "bench/option_values.hpp"

#include "bench/options.hpp"

namespace laneway::bench {

std::vector<int> numbers(const std::string& option, const std::string& list, int least)
{
    std::vector<int> values;
    for (const std::string& word : split(list)) values.push_back(number(option, word, least));
    if (values.empty()) throw UsageError("--" + option + ": no number given");
    return values;
}

bool yes_or_no(const std::string& option, const std::string& text)
{
    if (text != "yes" && text != "no")
        throw UsageError("--" + option + ": '" + text + "' is neither yes nor no");
    return text == "yes";
}

std::pair<std::string, double> delay(const std::string& text)
{
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos)
        throw UsageError("--delay: '" + text + "' is no ALGORITHM=FACTOR");
    return {text.substr(0, equals), number("delay", text.substr(equals + 1), 1.0)};
}

std::string joined(const std::vector<std::string>& words)
{
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

}  // namespace laneway::bench
