// SPDX-License-Identifier: BSD-3-Clause
#include "choose/conditions.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

#include "choose/date.hpp"
#include "text/text.hpp"

namespace laneway {
namespace {

void read_condition(std::string_view name, std::string_view value, Where& where)
{
    bool known = false;
    try {
        known = set_condition(name, value, where);
    } catch (const Misunderstood& why) {
        throw Misunderstood(std::string(name) + ": " +
                            (value.empty() ? "its range is missing; write bytes=4K, without blanks "
                                             "around '='"
                                           : why.what()));
    }
    if (!known)
        throw Misunderstood("no condition " + in_quotes(name) +
                            "; known: ranks, nodes, ppn, lanes, layout, binding, cores, bytes");
}

/// The text of a gain, anew: earlier versions wrote those that say nothing, too.
std::string gain_of(std::string_view value)
{
    const std::string least(value.substr(0, value.find("..")));
    const bool is_range = least.size() < value.size();
    if (value.empty() || value.find_first_not_of("0123456789.") != value.npos || !is_range)
        throw Misunderstood("gain: " + in_quotes(value) + " is none such as 1.41..1.90");
    const std::string most(value.substr(least.size() + 2));
    return gain_text(std::strtod(least.c_str(), nullptr), std::strtod(most.c_str(), nullptr));
}

/// Reads `learned=2026-11-25`, `calls=812` or `gain=1.41..1.90`. False: it is another word.
bool read_learned(std::string_view name, std::string_view value, std::optional<Learned>& learned)
{
    if (name == "learned") {
        learned.emplace().date = date_of(name, value);
        return true;
    }
    if (name != "calls" && name != "gain") return false;
    if (!learned)
        throw Misunderstood(std::string(name) +
                            " stands after 'learned', as in learned=2026-11-25");
    if (name == "calls")
        learned->calls = number(value, 1, std::numeric_limits<std::int64_t>::max());
    else
        learned->gain = gain_of(value);
    return true;
}

}  // namespace

std::string gain_text(double least, double most)
{
    constexpr double telling = 100;
    if (least <= 0 || most > telling * least) return {};
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.2f..%.2f", least, most);
    return text.data();
}

Conditions read_conditions(std::string_view& rest)
{
    Conditions found{};
    std::vector<std::string_view> seen;
    std::string_view word = next_outside(rest, ' ');
    for (; !word.empty() && word != "use"; word = next_outside(rest, ' ')) {
        std::string_view value = word;
        const std::string_view name = next(value, '=');
        once(seen, "condition", name);
        if (read_learned(name, value, found.learned)) continue;
        if (name != "inferred") {
            read_condition(name, value, found.where);
            continue;
        }
        if (value.empty() && word != name)
            throw Misunderstood(
                "inferred: no machine follows '='; write: inferred=hydra, or inferred");
        found.inferred = value;
    }
    found.complete = word == "use";
    return found;
}

}  // namespace laneway
