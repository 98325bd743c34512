// SPDX-License-Identifier: BSD-3-Clause
#include "machine/cores.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "machine/processors.hpp"
#include "machine/variable.hpp"
#include "text/text.hpp"

namespace laneway {
namespace {

constexpr std::array<std::string_view, 3> names_of_cores{"unknown", "each", "shared"};

/// Variables in which launchers say how many processes are on this machine, and how many there are. The launchers are
/// Open MPI's mpirun, Hydra (MPICH, Intel MPI) and Slurm's srun, whose list such as `4(x2),3` begins with the most.
constexpr std::array<std::array<const char*, 2>, 3> numbers_of_processes{
    {{"OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_SIZE"},
     {"MPI_LOCALNRANKS", "PMI_SIZE"},
     {"SLURM_STEP_TASKS_PER_NODE", "SLURM_STEP_NUM_TASKS"}}};

int leading_number(const char* name)
{
    return static_cast<int>(std::strtol(variable(name).c_str(), nullptr, 10));
}

/// Whether nodes are some of the emulated or virtual ones of one machine, so that launchers count otherwise.
bool nodes_share_a_machine()
{
    return !variable("LANEWAY_EMULATED_LANES").empty() || !variable("LANEWAY_NODE_SIZE").empty();
}

}  // namespace

std::string_view name_of_cores(Cores cores)
{
    return names_of_cores[static_cast<std::size_t>(cores)];
}

std::optional<Cores> cores_named(std::string_view name)
{
    for (const Cores known : {Cores::each, Cores::shared})
        if (name == name_of_cores(known)) return known;
    return std::nullopt;
}

LaunchedProcesses launched_processes()
{
    for (const auto& [here, all] : numbers_of_processes) {
        const LaunchedProcesses found{leading_number(here), leading_number(all)};
        if (found.here <= 0 || found.all < found.here) continue;
        return nodes_share_a_machine() ? LaunchedProcesses{found.all, found.all} : found;
    }
    return {};
}

OwnCores cores_among(const std::string& folder, std::span<const int> processors)
{
    if (processors.empty()) return {};
    try {
        const std::string first = folder + "/cpu" + std::to_string(processors.front());
        const auto threads =
            listed_processors(first_line_of(first + "/topology/thread_siblings_list"));
        const auto online = listed_processors(first_line_of(folder + "/online"));
        if (threads.empty() || online.empty()) return {};
        const auto cores = [&](std::size_t of_processors) {
            return static_cast<int>((of_processors + threads.size() - 1) / threads.size());
        };
        return {.first = threads.front(),
                .number = cores(processors.size()),
                .of_machine = cores(online.size())};
    } catch (const Misunderstood&) {
        return {};
    }
}

const OwnCores& own_cores()
{
    static const OwnCores own = [] {
        OwnCores found = cores_among(folder_of_processors, own_processors());
        found.processes = launched_processes().here;
        return found;
    }();
    return own;
}

Cores cores_of(std::span<const OwnCores> on_a_node)
{
    for (const OwnCores& own : on_a_node) {
        if (own.number == 0 || own.processes == 0) return Cores::unknown;
        // A launcher may tell of another node: these processes are here in any case.
        const int processes = std::max(own.processes, static_cast<int>(on_a_node.size()));
        if (processes > own.of_machine) return Cores::shared;
        const auto has_the_same = [&](const OwnCores& other) { return other.first == own.first; };
        if (own.number < processes && std::ranges::count_if(on_a_node, has_the_same) > own.number)
            return Cores::shared;
    }
    return Cores::each;
}

Cores both(Cores one, Cores other)
{
    for (const Cores worse : {Cores::shared, Cores::unknown})
        if (one == worse || other == worse) return worse;
    return Cores::each;
}

bool all_have_cores_here()
{
    const LaunchedProcesses job = launched_processes();
    return !nodes_share_a_machine() && job.all > 1 && job.here == job.all &&
           job.all <= own_cores().of_machine;
}

}  // namespace laneway
