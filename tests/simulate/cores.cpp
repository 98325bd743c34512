// SPDX-License-Identifier: BSD-3-Clause
// Whether processes have a core each, from what the kernel and launchers say.
#include "machine/cores.hpp"

#include <stdlib.h>

#include <array>
#include <string>
#include <vector>

#include "cases/case.hpp"
#include "simulate/folder.hpp"

namespace laneway::simulate {
namespace {

using cases::Register;

/// A process that may use `number` cores from `first` on, of 8, as one of `processes`.
OwnCores own(int first, int number, int processes) { return {first, number, 8, processes}; }

Cores of(const std::vector<OwnCores>& all) { return cores_of(all); }

const Register of_the_kernel("hardware threads of a core count once", [] {
    const Folder two_threads({{"online", "0-7"}, {"cpu2/topology/thread_siblings_list", "2,6"}});
    const std::array<int, 3> some{2, 3, 6};
    const OwnCores found = cores_among(two_threads.name(), some);
    EQUAL(found.first, 2);
    EQUAL(found.number, 2);
    EQUAL(found.of_machine, 4);
    const std::array<int, 1> unknown{3};
    EQUAL(cores_among(two_threads.name(), unknown).number, 0);
    EQUAL(cores_among("/no/such/folder", some).number, 0);
    EQUAL(cores_among(two_threads.name(), {}).number, 0);
});

const Register of_free_processes("processes that are not bound have a core each up to that number",
                                 [] {
                                     TRUE(of({own(0, 8, 8), own(0, 8, 8)}) == Cores::each);
                                     TRUE(of({own(0, 8, 9), own(0, 8, 9)}) == Cores::shared);
                                     // A container that has fewer cores than the machine.
                                     TRUE(of({own(0, 2, 3), own(0, 2, 3), own(0, 2, 3)}) ==
                                          Cores::shared);
                                 });

const Register of_bound_processes("processes that are bound share the cores that they are bound to",
                                  [] {
                                      TRUE(of({own(0, 1, 2), own(1, 1, 2)}) == Cores::each);
                                      TRUE(of({own(0, 1, 2), own(0, 1, 2)}) == Cores::shared);
                                      TRUE(of({own(0, 2, 4), own(0, 2, 4), own(4, 2, 4),
                                               own(4, 2, 4)}) == Cores::each);
                                      TRUE(of({own(0, 1, 9), own(1, 1, 9)}) == Cores::shared);
                                  });

const Register of_unknown("who does not know has nothing said of it", [] {
    TRUE(of({own(0, 8, 2), own(0, 8, 0)}) == Cores::unknown);
    TRUE(of({own(0, 8, 2), own(0, 0, 2)}) == Cores::unknown);
    TRUE(both(Cores::each, Cores::each) == Cores::each);
    TRUE(both(Cores::each, Cores::unknown) == Cores::unknown);
    TRUE(both(Cores::unknown, Cores::shared) == Cores::shared);
});

/// Variables of this process for a while; those that are there are empty then.
class Variables {
public:
    explicit Variables(const std::vector<std::pair<const char*, const char*>>& said)
    {
        for (const char* name : all) setenv(name, "", 1);
        for (const auto& [name, text] : said) setenv(name, text, 1);
    }
    Variables(const Variables&) = delete;
    Variables& operator=(const Variables&) = delete;
    ~Variables()
    {
        for (const char* name : all) unsetenv(name);
    }

private:
    static constexpr std::array all{"OMPI_COMM_WORLD_LOCAL_SIZE",
                                    "OMPI_COMM_WORLD_SIZE",
                                    "MPI_LOCALNRANKS",
                                    "PMI_SIZE",
                                    "SLURM_STEP_TASKS_PER_NODE",
                                    "SLURM_STEP_NUM_TASKS",
                                    "LANEWAY_EMULATED_LANES",
                                    "LANEWAY_NODE_SIZE"};
};

std::string launched(const std::vector<std::pair<const char*, const char*>>& said)
{
    const Variables variables(said);
    const LaunchedProcesses found = launched_processes();
    return std::to_string(found.here) + " of " + std::to_string(found.all);
}

const Register of_launchers("launchers say how many processes a job has, and how many here", [] {
    EQUAL(launched({}), "0 of 0");
    EQUAL(launched({{"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}, {"OMPI_COMM_WORLD_SIZE", "4"}}), "2 of 4");
    EQUAL(launched({{"MPI_LOCALNRANKS", "4"}, {"PMI_SIZE", "4"}}), "4 of 4");
    EQUAL(launched({{"SLURM_STEP_TASKS_PER_NODE", "4(x2),3"}, {"SLURM_STEP_NUM_TASKS", "11"}}),
          "4 of 11");
    EQUAL(launched({{"PMI_SIZE", "4"}}), "0 of 0");
    // All nodes are on this machine: so are all processes.
    EQUAL(launched({{"MPI_LOCALNRANKS", "4"}, {"PMI_SIZE", "16"}, {"LANEWAY_EMULATED_LANES", "2"}}),
          "16 of 16");
});

}  // namespace
}  // namespace laneway::simulate
