// SPDX-License-Identifier: BSD-3-Clause
#include "choose/reproducible.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "choose/profile.hpp"

namespace laneway {
namespace {

/// A reduction, the algorithm that serves some of its calls, and the one where a message must stay whole; empty: the
/// same. The last row that fits decides.
struct Served {
    std::string_view collective, how, whole;
};

/// All of these algorithms combine neighbours first, pairs of ranks, pairs of pairs and so on, with `order=0` in rank
/// order. Scans go up and down one tree in rank order.
constexpr auto served = std::to_array<Served>({
    {"reduce", "use butterfly", "recursive_doubling"},
    {"reduce", "bytes=..4K use recursive_doubling", {}},
    {"allreduce", "use rabenseifner(order=0)", "recursive_doubling(order=0)"},
    {"allreduce", "bytes=..4K use recursive_doubling(order=0)", {}},
    {"reduce_scatter_block", "use butterfly(order=0)", "recursive_doubling(order=0)"},
    {"reduce_scatter", "use butterfly(order=0)", "recursive_doubling(order=0)"},
    {"scan", "use binary", {}},
    {"exscan", "use binary", {}},
});

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

}  // namespace

std::string make_reproducible(Rules& rules)
{
    std::string overruled = origins_of_reductions(rules);
    for (const auto& [collective, how, whole] : served)
        for (const Scope form : forms) {
            const std::string target = name_of({collective, form});
            rules.add_line(target + " " + std::string(how), reproducible_origin);
            if (!whole.empty()) rules.keep_whole_by(target, whole);
        }
    return overruled;
}

}  // namespace laneway
