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
    static std::map<std::string, Rules, std::less<>> known;
    std::string entry = std::string(collective) + "=" + std::string(text);
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(entry); found != known.end()) return found->second;
    std::string_view others = entry;
    next_outside(others, ',');
    if (!others.empty()) throw Misunderstood(in_quotes(text) + " names more than one algorithm");
    Rules rules;
    rules.add_list(entry, "named in the call");
    return known.emplace(std::move(entry), std::move(rules)).first->second;
}

}  // namespace laneway
