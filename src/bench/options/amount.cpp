// SPDX-License-Identifier: BSD-3-Clause
#include "bench/options/amount.hpp"

#include <limits>
#include <string_view>

#include "bench/text/words.hpp"
#include "text/text.hpp"

namespace laneway::bench {
namespace {

constexpr int widest = 40;  // Messages of 2^40 bytes are enough for a while.
constexpr int usual = 22;   // The preset is 2^22 bytes, 4 MiB, as in OSU's and IMB's benchmarks.

/// The texts on both sides of a colon, or else the presets; a text without a colon is the upper end.
struct Bounds {
    std::string from;
    std::string to;
};

Bounds bounds(const std::string& text, Bounds open)
{
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) return {open.from, text};
    if (colon > 0) open.from = text.substr(0, colon);
    if (colon + 1 < text.size()) open.to = text.substr(colon + 1);
    return open;
}

std::vector<Amount> powers_of_two(std::int64_t from, std::int64_t to)
{
    std::vector<Amount> all;
    if (from == 0) all.push_back({0, Amount::Unit::bytes});
    for (std::int64_t size = from == 0 ? 1 : from; size <= to; size *= 2)
        all.push_back({size, Amount::Unit::bytes});
    return all;
}

}  // namespace

std::optional<int> Amount::count(int ranks, std::size_t size) const
{
    std::int64_t count = number;
    if (unit == Unit::ranks) count *= ranks;
    if (unit == Unit::bytes) {
        const auto each = static_cast<std::int64_t>(size);
        if (number % each != 0) return std::nullopt;
        count /= each;
    }
    if (count > std::numeric_limits<int>::max()) return std::nullopt;
    return static_cast<int>(count);
}

std::string Amount::text() const
{
    const char* const units[] = {"", "p", " bytes"};
    return std::to_string(number) + units[static_cast<int>(unit)];
}

std::int64_t bytes(const std::string& option, std::string_view text)
{
    try {
        return laneway::number(text, 0, std::int64_t{1} << widest, true);
    } catch (const Misunderstood& why) {
        throw Misunderstood("--" + option + ": " + why.what());
    }
}

double duration(const std::string& option, std::string_view text)
{
    try {
        return seconds(text);
    } catch (const Misunderstood& why) {
        throw Misunderstood("--" + option + ": " + why.what());
    }
}

std::vector<Amount> counts(const std::string& option, const std::string& list)
{
    std::vector<Amount> all;
    for (std::string word : split(list)) {
        const bool times_ranks = word.ends_with('p');
        if (times_ranks) word.pop_back();
        if (times_ranks && word.empty()) word.push_back('1');
        all.push_back(
            {number(option, word, 0), times_ranks ? Amount::Unit::ranks : Amount::Unit::elements});
    }
    if (all.empty()) throw Misunderstood("--" + option + ": no number given");
    return all;
}

std::vector<Amount> sizes(const std::string& option, const std::string& text)
{
    std::vector<Amount> all;
    if (text.find(',') != std::string::npos) {
        for (const std::string& word : split(text))
            all.push_back({bytes(option, word), Amount::Unit::bytes});
    } else {
        const Bounds asked = bounds(text, {"1", std::to_string(1 << usual)});
        all = powers_of_two(bytes(option, asked.from), bytes(option, asked.to));
    }
    if (all.empty()) throw Misunderstood("--" + option + " " + text + ": no size lies between");
    return all;
}

std::vector<Amount> log_sizes(const std::string& option, const std::string& text)
{
    const Bounds asked = bounds(text, {"0", std::to_string(usual)});
    const int from = number(option, asked.from, 0);
    const int to = number(option, asked.to, from);
    if (to > widest) throw Misunderstood("--" + option + ": 2^" + asked.to + " bytes are too many");
    std::vector<Amount> all = powers_of_two(std::int64_t{1} << from, std::int64_t{1} << to);
    all.insert(all.begin(), {0, Amount::Unit::bytes});
    return all;
}

}  // namespace laneway::bench
