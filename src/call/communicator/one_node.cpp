// SPDX-License-Identifier: BSD-3-Clause
#include "call/communicator/one_node.hpp"

#include <algorithm>
#include <string>

#include "library/error.hpp"
#include "library/identity.hpp"
#include "text/text.hpp"

namespace laneway {
namespace {

/// `bcast=lane, scan=lane`: algorithms that the variable asks for besides native, and gets.
std::string forced(const Settings& settings)
{
    std::string names;
    const auto add = [&](Scope form, Collective collective) {
        if (collectives_that_reduce[collective] && settings.reproducible()) return;
        const auto& all = settings.rules().all(form, collective);
        const auto last = std::find_if(all.rbegin(), all.rend(), [](const Rule& rule) {
            return rule.origin == algorithm_variable;
        });
        if (last == all.rend() || !last->choice.algorithm) return;
        names += (names.empty() ? "" : ", ") + name_of({names_of_collectives[collective], form}) +
                 "=" + last->choice.algorithm->name;
    };
    for (const Scope form : {Scope::user, Scope::nonblocking, Scope::persistent})
        for (Collective collective = 0; collective < collectives; ++collective)
            add(form, collective);
    return names;
}

bool is_whole_job(int processes)
{
    int all = 0;
    if (!world_is_there()) return false;
    check(PMPI_Comm_size(MPI_COMM_WORLD, &all));
    return processes == all;
}

}  // namespace

void say_if_on_one_node(const Settings& settings, const Shape& shape, Member me)
{
    static Remark remark;
    if (shape.nodes > 1 || me.rank != 0 || !is_whole_job(me.size)) return;
    const std::string names = forced(settings);
    if (names.empty()) return;
    remark.say([&] {
        return "all " + std::to_string(me.size) +
               " processes are on one node, where there are no lanes to use; " + names +
               " serves calls of every size all the same, be it slower than native";
    });
}

}  // namespace laneway
