// SPDX-License-Identifier: BSD-3-Clause
#include "choose/conditions.hpp"

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
    else if (value.empty() || value.find_first_not_of("0123456789.") != value.npos)
        throw Misunderstood("gain: " + in_quotes(value) + " is none such as 1.41..1.90");
    else
        learned->gain = value;
    return true;
}

}  // namespace

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
