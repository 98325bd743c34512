// SPDX-License-Identifier: BSD-3-Clause
#include "bench/plan.hpp"

#include <laneway.h>

#include <algorithm>
#include <set>

#include "bench/types.hpp"

namespace laneway::bench {
namespace {

std::vector<const Operation*> chosen_operations(const Options& options)
{
    std::vector<const Operation*> chosen;
    for (const std::string& name : options.collectives) {
        const Operation* found = operation(name);
        if (found == nullptr) {
            std::string known;
            for (const Operation& each : operations())
                known += std::string(known.empty() ? "" : ", ") + each.collective;
            throw UsageError("unknown collective '" + name + "'; known: " + known);
        }
        chosen.push_back(found);
    }
    if (chosen.empty())
        for (const Operation& each : operations()) chosen.push_back(&each);
    return chosen;
}

std::vector<std::string> registry(const std::string& collective)
{
    std::vector<std::string> names;
    for (int index = 0; const char* name = laneway_algorithm(collective.c_str(), index); ++index)
        names.emplace_back(name);
    return names;
}

/// Throws unless every name asked for is registered for one of the collectives, at least: asking
/// for all collectives by an algorithm that only some have is no mistake.
void require_known(const std::vector<std::string>& asked,
                   const std::vector<const Operation*>& collectives)
{
    std::set<std::string> known = {"all"};
    for (const Operation* operation : collectives)
        for (const std::string& name : registry(operation->collective)) known.insert(name);
    for (const std::string& name : asked) {
        if (known.contains(name)) continue;
        std::string list;
        for (const std::string& each : known) list += (list.empty() ? "" : ", ") + each;
        throw UsageError("unknown algorithm '" + name + "'; known: " + list);
    }
}

std::vector<std::string> chosen_algorithms(const Options& options, const std::string& collective)
{
    const std::vector<std::string> registered = registry(collective);
    const auto asked = [&](const std::string& name) {
        return std::ranges::find(options.algorithms, name) != options.algorithms.end();
    };
    std::vector<std::string> chosen;
    std::ranges::copy_if(registered, std::back_inserter(chosen),
                         [&](const std::string& name) { return asked("all") || asked(name); });
    return chosen;
}

}  // namespace

std::vector<Case> plan(const Options& options, int ranks)
{
    const Datatype& type = datatype(options.datatype);
    const Op& operation_op = op(options.op);
    if (options.root && *options.root >= ranks)
        throw UsageError("--root: there is no rank " + std::to_string(*options.root) + " among " +
                         std::to_string(ranks));

    const std::vector<const Operation*> collectives = chosen_operations(options);
    require_known(options.algorithms, collectives);
    std::vector<Case> cases;
    for (const Operation* operation : collectives) {
        if (operation->reduces && !applies(operation_op, type))
            throw UsageError("--op " + options.op + " is not defined on --datatype " +
                             options.datatype);
        const std::vector<std::string> algorithms =
            chosen_algorithms(options, operation->collective);
        if (algorithms.empty()) continue;
        for (const int count : options.counts) cases.push_back({*operation, count, algorithms});
    }
    return cases;
}

}  // namespace laneway::bench
