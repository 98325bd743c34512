// SPDX-License-Identifier: BSD-3-Clause
#include "choose/reproducible.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "choose/profile.hpp"

namespace laneway {
namespace {

/// The algorithms that serve a reduction: the usual one, the one for short messages, and the one where a message must
/// stay whole. Where one of the latter is empty, the usual one serves.
struct Served {
    std::string_view usual, for_short, whole;
};

/// All of these algorithms combine neighbours first, pairs of ranks, pairs of pairs and so on, with `order=0` in rank
/// order. Scans go up and down one tree in rank order.
template <class Call>
constexpr Served served_by()
{
    if (reduces_prefixes<Call>) return {"binary", {}, {}};
    if (Call::message != Message::one)
        return {"butterfly(order=0)", {}, "recursive_doubling(order=0)"};
    if (is_rooted<Call>) return {"butterfly", "recursive_doubling", "recursive_doubling"};
    return {"rabenseifner(order=0)", "recursive_doubling(order=0)", "recursive_doubling(order=0)"};
}

constexpr std::string_view short_messages = "bytes=..4K";

constexpr std::array forms{Scope::user, Scope::nonblocking, Scope::persistent};

std::string origins_of_reductions(const Rules& rules)
{
    std::vector<std::string_view> origins;
    for (Collective collective = 0; collective < collectives; ++collective) {
        if (!collectives_that_reduce[collective]) continue;
        for (const Scope form : forms)
            for (const Rule& rule : rules.all(form, collective))
                if (std::ranges::find(origins, file_of(rule.origin)) == origins.end())
                    origins.push_back(file_of(rule.origin));
    }
    std::string all;
    for (const std::string_view origin : origins)
        all.append(all.empty() ? "" : " and ").append(origin);
    return all;
}

void add(Rules& rules, const std::string& target, const Served& served)
{
    const auto use = [&](const std::string& which, std::string_view algorithm) {
        rules.add_line(which + " use " + std::string(algorithm), reproducible_origin);
    };
    use(target, served.usual);
    if (!served.whole.empty()) rules.keep_whole_by(target, served.whole);
    if (!served.for_short.empty())
        use(target + " " + std::string(short_messages), served.for_short);
}

}  // namespace

std::string make_reproducible(Rules& rules)
{
    std::string overruled = origins_of_reductions(rules);
    for_each_call([&]<class Call>(std::type_identity<Call>) {
        if constexpr (reduces<Call>)
            for (const Scope form : forms)
                add(rules, name_of({Call::name, form}), served_by<Call>());
    });
    return overruled;
}

}  // namespace laneway
