// SPDX-License-Identifier: BSD-3-Clause
#include "choose/conditions.hpp"

#include <vector>

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
                            "; known: ranks, nodes, ppn, lanes, layout, binding, bytes");
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
