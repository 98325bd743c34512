// SPDX-License-Identifier: BSD-3-Clause
#include "choose/named.hpp"

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "text/text.hpp"

namespace laneway {

const Rules& rules_named(std::string_view collective, std::string_view text)
{
    static std::mutex mutex;
    // Never destroyed: calls at the end of a process use them.
    static auto& known = *new std::map<std::string, Rules, std::less<>>;
    std::string entry = std::string(collective) + "=" + std::string(text);
    const std::scoped_lock lock(mutex);
    if (const auto found = known.find(entry); found != known.end()) return found->second;
    collective_named(target_of(collective).collective);
    std::string_view others = entry;
    if (next_outside(others, ',').size() != entry.size())
        throw Misunderstood(in_quotes(text) + " is not one algorithm");
    Rules rules;
    rules.add_list(entry, "named in the call");
    return known.emplace(std::move(entry), std::move(rules)).first->second;
}

}  // namespace laneway
