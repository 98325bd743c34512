// SPDX-License-Identifier: BSD-3-Clause
#include "bench/tasks/overhead.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <random>
#include <string_view>
#include <vector>

#include "bench/job/clock.hpp"
#include "bench/job/ranks.hpp"
#include "bench/timing/statistics.hpp"
#include "library/error.hpp"
#include "library/real.hpp"

namespace laneway::bench {
namespace {

constexpr int calls = 1000;  // Calls in a block, timed as one.

double payload = 0;
double sum = 0;

/// A function of MPI's with its name-shifted twin.
struct Entrance {
    const char* collective;
    const char* symbol;
    int (*mpi)(MPI_Comm);
    int (*pmpi)(MPI_Comm);
};

constexpr Entrance entrances[] = {
    {"bcast", "MPI_Bcast",
     [](MPI_Comm comm) { return MPI_Bcast(&payload, 1, MPI_DOUBLE, 0, comm); },
     [](MPI_Comm comm) { return real::Bcast(&payload, 1, MPI_DOUBLE, 0, comm); }},
    {"allreduce", "MPI_Allreduce",
     [](MPI_Comm comm) { return MPI_Allreduce(&payload, &sum, 1, MPI_DOUBLE, MPI_SUM, comm); },
     [](MPI_Comm comm) { return real::Allreduce(&payload, &sum, 1, MPI_DOUBLE, MPI_SUM, comm); }},
};

/// The file that serves the program's calls of `symbol`.
std::string provider(const char* symbol)
{
    Dl_info info{};
    void* const address = dlsym(RTLD_DEFAULT, symbol);
    return address != nullptr && dladdr(address, &info) != 0 ? info.dli_fname : "";
}

/// The mean time of a call in one block, on the slowest rank, in microseconds.
double block(int (*call)(MPI_Comm), const Team& team)
{
    team.barrier();
    const double start = now();
    for (int i = 0; i < calls; ++i) check(call(team.own));
    return largest({now() - start}, team.own).front() / calls * 1e6;
}

}  // namespace

void measure_overhead(const Team& team, const Options& options, Sink& sink)
{
    std::mt19937 generator(options.seed + static_cast<unsigned>(options.run));
    for (const Entrance& entrance : entrances) {
        for (int i = 0; i < most_warm_up(options.budget); ++i) {
            block(entrance.mpi, team);
            block(entrance.pmpi, team);
        }
        std::vector<double> mpi;
        std::vector<double> pmpi;
        for (int i = 0; i < options.budget.repetitions; ++i) {
            const bool shifted_first = generator() % 2 == 0;
            if (shifted_first) pmpi.push_back(block(entrance.pmpi, team));
            mpi.push_back(block(entrance.mpi, team));
            if (!shifted_first) pmpi.push_back(block(entrance.pmpi, team));
        }

        const double difference_ns = (median(mpi) - median(pmpi)) * 1e3;
        const double percent = (median(mpi) / median(pmpi) - 1) * 100;
        const std::string served_from = provider(entrance.symbol);
        sink.write(Row("overhead")
                       .add("run", options.run)
                       .add("collective", entrance.collective)
                       .add("bytes", 8)
                       .add("ranks", team.machine.size)
                       .add("library", team.machine.library)
                       .add("provider", std::string_view(served_from))
                       .add("blocks", options.budget.repetitions)
                       .add("calls", calls)
                       .add("mpi_us", median(mpi))
                       .add("pmpi_us", median(pmpi))
                       .add("difference_ns", difference_ns)
                       .add("difference_percent", percent));
        sink.flush();
        if (team.machine.rank == 0)
            std::fprintf(stderr,
                         "%-13s %8.3f us, P%-13s %8.3f us: %+.1f ns, %+.2f %% (%s from %s)\n",
                         entrance.symbol, median(mpi), entrance.symbol, median(pmpi), difference_ns,
                         percent, entrance.symbol, served_from.c_str());
    }
}

}  // namespace laneway::bench
