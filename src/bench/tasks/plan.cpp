// SPDX-License-Identifier: BSD-3-Clause
#include "bench/tasks/plan.hpp"

#include <laneway.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>

#include "bench/job/ranks.hpp"
#include "bench/native/algorithms.hpp"
#include "bench/options/command_line.hpp"
#include "bench/tasks/shared_files.hpp"
#include "bench/text/words.hpp"

namespace laneway::bench {
namespace {

std::vector<const Operation*> chosen_operations(const Options& options)
{
    std::vector<const Operation*> chosen;
    for (const std::string& name : options.collectives) chosen.push_back(&operation(name));
    if (chosen.empty())
        for (const Operation& each : operations())
            if (!each.nonblocking) chosen.push_back(&each);
    return chosen;
}

/// The algorithms of an operation; operations that Laneway does not serve have the library's own.
std::vector<std::string> registry(const std::string& collective)
{
    std::vector<std::string> names;
    for (int index = 0; const char* name = laneway_algorithm(collective.c_str(), index); ++index)
        names.emplace_back(name);
    if (names.empty()) names.emplace_back("native");
    return names;
}

std::vector<std::string> names_of(const std::vector<const Operation*>& collectives)
{
    std::vector<std::string> names;
    for (const Operation* operation : collectives) names.emplace_back(operation->collective);
    return names;
}

/// The MPI library's own algorithms that it can be told to use. Nonblocking forms have variables of their own kinds.
std::vector<std::string> own_algorithms(const Operation& operation)
{
    return operation.nonblocking ? std::vector<std::string>()
                                 : native_algorithms(operation.collective);
}

std::string algorithm_of(const std::string& label) { return label.substr(0, label.find('#')); }

/// Throws unless every name asked for is registered for one of the collectives, at least. To ask for all collectives
/// by an algorithm that only some have is no mistake.
void require_known(const Options& options, const std::vector<const Operation*>& collectives)
{
    std::set<std::string> known = {"all", tuned};
    const bool forced = std::ranges::any_of(options.algorithms, is_forced);
    for (const Operation* operation : collectives) {
        for (const std::string& name : registry(operation->collective)) known.insert(name);
        if (!forced) continue;
        const std::vector<std::string> own = own_algorithms(*operation);
        if (!own.empty()) known.insert(std::string(all_native));
        known.insert(own.begin(), own.end());
    }
    if (forced && !known.contains(std::string(all_native)))
        throw Misunderstood(
            "native:...: this MPI library cannot be told which of its algorithms of " +
            joined(names_of(collectives)) + " to use");
    for (const std::string& label : options.algorithms) {
        if (label.substr(algorithm_of(label).size()).find('(') != std::string::npos)
            throw Misunderstood("'" + label +
                                "': tunables stand before '#', which is followed by a name only");
        if (known.contains(registered_name(label))) continue;
        throw Misunderstood("unknown algorithm '" + registered_name(label) +
                            "'; known: " + joined({known.begin(), known.end()}));
    }
    for (const auto& [label, factor] : options.delays)
        if (!known.contains(registered_name(label)))
            throw Misunderstood("--delay: unknown algorithm '" + label + "'");
}

/// Throws for wrong tunables of an algorithm that is asked for by name. So they are not found out in the middle of a
/// measurement.
void require_tunables(const std::string& collective, const std::string& algorithm)
{
    if (is_forced(algorithm)) {
        const Forced complains(collective, algorithm);
        return;
    }
    if (algorithm.find('(') == std::string::npos) return;
    if (const char* const complaint = laneway_complaint(collective.c_str(), algorithm.c_str()))
        throw Misunderstood(collective + ": " + complaint);
}

std::vector<Candidate> candidates(const Options& options, const std::string& collective)
{
    const std::vector<std::string> registered = registry(collective);
    std::vector<std::string> own;
    if (std::ranges::any_of(options.algorithms, is_forced))
        own = own_algorithms(operation(collective));
    const auto has = [&](const std::string& name) {
        return std::ranges::find(registered, name) != registered.end() ||
               std::ranges::find(own, name) != own.end();
    };
    std::vector<std::string> labels;
    const auto add = [&](const std::string& label) {
        if (std::ranges::find(labels, label) == labels.end()) labels.push_back(label);
    };
    for (const std::string& label : options.algorithms) {
        const std::string name = registered_name(label);
        if (label == "all")
            std::ranges::for_each(registered, add);
        else if (label == all_native)
            std::ranges::for_each(own, add);
        else if (name == tuned || has(name)) {
            require_tunables(collective, algorithm_of(label));
            add(label);
        }
    }
    std::vector<Candidate> chosen;
    for (const std::string& label : labels) {
        const auto delay = options.delays.find(label);
        const std::string algorithm = algorithm_of(label);
        const bool forced = is_forced(algorithm);
        chosen.push_back({.label = label,
                          .algorithm = forced ? "native" : algorithm,
                          .delay = delay == options.delays.end() ? 1 : delay->second,
                          .forced = forced ? algorithm : ""});
    }
    return chosen;
}

/// The type asked for, or one that suits. Sizes in bytes want the smallest that can be had, and so do operations
/// without data.
const ElementType& chosen_type(const Options& options, const Operation& operation)
{
    if (!options.datatype.empty()) return element_type(options.datatype);
    const bool pairs = reduction_op(options.op).domain == ReductionOp::Domain::place;
    if (operation.reduces && pairs) return element_type("2int");
    const bool by_size = options.counts[0].unit == Amount::Unit::bytes || !operation.has_data;
    return element_type(by_size && !operation.reduces ? "byte" : "int");
}

/// How many ranks take part: P, 2P, 4P ... and all, or as many of them as make pairs.
std::vector<int> sizes_of_team(const Options& options, const Operation& operation, int ranks)
{
    std::vector<int> sizes;
    const auto add = [&](int size) {
        if (operation.in_pairs) size -= size % 2;
        if (size < operation.least_ranks || (options.root && *options.root >= size)) return;
        if (sizes.empty() || sizes.back() != size) sizes.push_back(size);
    };
    if (options.least_ranks > 0)
        for (int size = options.least_ranks; size < ranks; size *= 2) add(size);
    add(ranks);
    return sizes;
}

/// The remark on a measurement on `size` of `ranks` ranks, made once.
std::string remark(const Operation& operation, int size, int ranks)
{
    if (!operation.in_pairs || size + 1 != ranks) return "";
    return "ranks play in pairs: the last of " + std::to_string(ranks) + " takes no part";
}

/// Whether the counts are those of a file, which are looked at as soon as it is read.
bool by_file(const Options& options, const Operation& operation)
{
    return operation.is_vector() && options.layout.is_file();
}

void require_counts(const Options& options, const Operation& operation, int ranks)
{
    if (!by_file(options, operation) || options.layout.counts == nullptr) return;
    const bool pairs = operation.flow == BlockFlow::between_pairs;
    const CountsFile& file = *options.layout.counts;
    require_shape(file, ranks, pairs ? ranks : 1, operation.collective);
    if (pairs && options.in_place) require_symmetry(file);
}

/// The amounts that are measured: one case without data, and one by a file of counts.
std::vector<Amount> amounts(const Options& options, const Operation& operation)
{
    if (!operation.has_data) return {{0}};
    if (!by_file(options, operation)) return options.counts;
    const auto& counts = options.layout.counts;
    return {{counts == nullptr ? 0 : counts->mean()}};
}

std::vector<Case> cases(const Options& options, int ranks)
{
    if (options.root && *options.root >= ranks)
        throw Misunderstood("--root: there is no rank " + std::to_string(*options.root) +
                            " among " + std::to_string(ranks));
    const ReductionOp& reducing = reduction_op(options.op);
    const std::vector<const Operation*> collectives = chosen_operations(options);
    require_known(options, collectives);
    std::vector<Case> found;
    for (const Operation* operation : collectives) {
        const ElementType& type = chosen_type(options, *operation);
        if (operation->reduces && !applies(reducing, type))
            throw Misunderstood("--op " + options.op + " is not defined on --datatype " +
                                type.name);
        if (operation->is_vector())
            options.layout.must_fit(operation->flow == BlockFlow::between_pairs,
                                    operation->collective);
        const std::vector<Candidate> chosen = candidates(options, operation->collective);
        if (chosen.empty()) continue;
        if (ranks < operation->least_ranks && !options.collectives.empty())
            throw Misunderstood(operation->collective +
                                (" needs " + std::to_string(operation->least_ranks)) +
                                " ranks; there is " + std::to_string(ranks));
        for (const int size : sizes_of_team(options, *operation, ranks)) {
            require_counts(options, *operation, size);
            std::string said = remark(*operation, size, ranks);
            for (const Amount& amount : amounts(options, *operation))
                found.push_back({*operation, type, size, amount.count(size, type.size).value_or(-1),
                                 amount, std::exchange(said, ""), chosen});
        }
    }
    return found;
}

}  // namespace

std::string registered_name(const std::string& label)
{
    return label.substr(0, label.find_first_of("#("));
}

void must_make_sense(const Options& options)
{
    constexpr int more_than_anybody_has = 1 << 24;
    if (options.task != Options::Task::measure || !options.plan.empty()) return;
    check_counts(options.layout);
    cases(options, more_than_anybody_has);
}

Block block_of(Options options, MPI_Comm comm)
{
    read_counts(options.layout, comm);
    std::vector<Case> found = cases(options, size_of(comm));
    return {std::move(options), std::move(found)};
}

}  // namespace laneway::bench
