// SPDX-License-Identifier: BSD-3-Clause
#include <laneway.h>
#include <mpi.h>

#include <cstdio>
#include <exception>
#include <random>
#include <string>
#include <vector>

#include "bench/machine.hpp"
#include "bench/measure.hpp"
#include "bench/options.hpp"
#include "bench/overhead.hpp"
#include "bench/plan.hpp"
#include "bench/probe.hpp"
#include "bench/row.hpp"
#include "mpi/error.hpp"

namespace laneway::bench {
namespace {

constexpr int wrong_result = 1;
constexpr int bad_usage = 2;

/// At most five a second, and the last one.
class Progress {
public:
    Progress(Sink& sink, int run, std::size_t total) : sink_(sink), run_(run), total_(total) {}

    void report(double done)
    {
        const double now = MPI_Wtime();
        const bool last = done >= static_cast<double>(total_);
        if (done <= done_ || (now - time_ < 0.2 && !last)) return;
        done_ = done;
        time_ = now;
        sink_.write(Row("progress")
                        .add("run", run_)
                        .add("done", done)
                        .add("total", static_cast<std::int64_t>(total_)));
        sink_.flush();
    }

private:
    Sink& sink_;
    int run_;
    std::size_t total_;
    double done_ = 0;  ///< As last reported,
    double time_ = 0;  ///< and when.
};

/// Opens the rows' file on rank 0; all ranks learn whether that went well.
Sink open_sink(const std::string& path, const Machine& machine, MPI_Comm comm)
{
    Sink sink;
    std::string problem;
    try {
        if (machine.rank == 0) sink = Sink(path);
    } catch (const UsageError& error) {
        problem = error.what();
    }
    int failed = !problem.empty();
    check(MPI_Bcast(&failed, 1, MPI_INT, 0, comm));
    if (failed != 0) throw UsageError(problem);
    return sink;
}

/// The benchmark, between MPI_Init and MPI_Finalize: the exit code.
int run(const Options& options, const std::vector<std::string>& command, MPI_Comm own)
{
    const Machine machine = inspect(own);
    const bool probing = options.task == Options::Task::probe;
    const std::vector<Case> cases = probing ? std::vector<Case>{} : plan(options, machine.size);
    Session session{.options = options,
                    .machine = machine,
                    .own = own,
                    .generator = std::mt19937(options.seed + static_cast<unsigned>(options.run)),
                    .sink = open_sink(options.out, machine, own),
                    .progress = {}};

    session.sink.write(environment(machine, options.run, command));
    session.sink.flush();
    if (options.task == Options::Task::overhead) {
        measure_overhead(own, options, machine, session.sink);
        return 0;
    }

    if (probing) {
        Progress progress(session.sink, options.run, 1);
        session.progress = [&](double share) { progress.report(share); };
        run_probe(session);
        return session.wrong ? wrong_result : 0;
    }

    Progress progress(session.sink, options.run, cases.size());
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const auto before = static_cast<double>(i);
        session.progress = [&](double share) { progress.report(before + share); };
        measure(cases[i], session);
        session.progress(1);
    }
    return session.wrong ? wrong_result : 0;
}

/// The whole programme.
int start(int argc, char** argv)
{
    Options options;
    std::string problem;
    try {
        options = parse(argc, argv);
    } catch (const UsageError& error) {
        problem = error.what();
    }
    if (options.task == Options::Task::help) return std::fputs(usage().c_str(), stdout) < 0;
    if (options.task == Options::Task::list) return std::puts(laneway_registry_json()) < 0;

    MPI_Init(&argc, &argv);
    int status = bad_usage;
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    try {
        if (!problem.empty()) throw UsageError(problem);
        MPI_Comm own = MPI_COMM_NULL;
        check(MPI_Comm_dup(MPI_COMM_WORLD, &own));
        status = run(options, std::vector<std::string>(argv, argv + argc), own);
        check(MPI_Comm_free(&own));
    } catch (const UsageError& error) {
        // Alike on all ranks: one speaks, and the job ends in good order.
        if (rank == 0) std::fprintf(stderr, "laneway-bench: %s\n", error.what());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "laneway-bench: rank %d: %s\n", rank, error.what());
        MPI_Abort(MPI_COMM_WORLD, wrong_result);
    }
    MPI_Finalize();
    return status;
}

}  // namespace
}  // namespace laneway::bench

int main(int argc, char** argv) { return laneway::bench::start(argc, argv); }
