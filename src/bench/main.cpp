// SPDX-License-Identifier: BSD-3-Clause
#include <laneway.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/job/clock.hpp"
#include "bench/job/counters.hpp"
#include "bench/job/global_clock.hpp"
#include "bench/job/machine.hpp"
#include "bench/job/ordinary_time.hpp"
#include "bench/job/team.hpp"
#include "bench/native/algorithms.hpp"
#include "bench/operations/operation.hpp"
#include "bench/options/command_line.hpp"
#include "bench/tasks/comparison.hpp"
#include "bench/tasks/hops.hpp"
#include "bench/tasks/launch.hpp"
#include "bench/tasks/overhead.hpp"
#include "bench/tasks/plan.hpp"
#include "bench/tasks/probing.hpp"
#include "bench/tasks/requests.hpp"
#include "bench/text/sink.hpp"
#include "bench/text/words.hpp"
#include "library/error.hpp"

namespace laneway::bench {
namespace {

constexpr int wrong_result = 1;
constexpr int bad_usage = 2;

/// Reports progress: five times a second at most, and at the end.
class Progress {
public:
    Progress(Sink& sink, int run, std::size_t total) : sink_(sink), run_(run), total_(total) {}

    void report(double done)
    {
        const double time = now();
        const bool last = done >= static_cast<double>(total_);
        if (done <= done_ || (time - time_ < 0.2 && !last)) return;
        done_ = done;
        time_ = time;
        sink_.hurry(Row("progress")
                        .add("run", run_)
                        .add("done", done)
                        .add("total", static_cast<std::int64_t>(total_)));
    }

private:
    Sink& sink_;
    int run_;
    std::size_t total_;
    double done_ = -1;  ///< Cases done at the last report.
    double time_ = 0;   ///< The time of that report.
};

/// Opens the rows' file on rank 0; all ranks learn whether that went well.
Sink open_sink(const std::string& path, const Machine& machine, MPI_Comm comm)
{
    Sink sink;
    std::string problem;
    try {
        if (machine.rank == 0) sink = Sink(path);
    } catch (const Misunderstood& error) {
        problem = error.what();
    }
    int failed = !problem.empty();
    check(MPI_Bcast(&failed, 1, MPI_INT, 0, comm));
    if (failed != 0) throw Misunderstood(problem);
    return sink;
}

/// The seed of the random choices in a case: another one for each run, block and case.
unsigned seed_of(const Block& block, int run, unsigned number)
{
    std::vector<unsigned> words = {block.options.seed, static_cast<unsigned>(run), number};
    words.insert(words.end(), block.options.block.begin(), block.options.block.end());
    std::seed_seq mixed(words.begin(), words.end());
    unsigned seed = 0;
    mixed.generate(&seed, &seed + 1);
    return seed;
}

/// Runs all blocks, case by case.
void run_blocks(const std::vector<Block>& blocks, Teams& teams, Session& session)
{
    const int run = session.options.run;
    std::size_t total = 0;
    for (const Block& block : blocks) total += block.cases.size();
    Progress progress(session.sink, run, total);
    std::size_t done = 0;
    for (const Block& block : blocks) {
        const double start = now();
        session.samples = 0;
        session.repeating = 0;
        session.timed = 0;
        unsigned number = 0;
        for (const Case& each : block.cases) {
            const auto before = static_cast<double>(done++);
            session.progress = [&](double share) { progress.report(before + share); };
            session.clock.refresh();
            const Team& team = teams.of(each.ranks);
            if (team.own != MPI_COMM_NULL)
                compare(each, block.options, team, seed_of(block, run, number), session);
            ++number;
            session.hand_over();
        }
        if (!block.options.block.empty())
            session.sink.hurry(Row("block")
                                   .add("run", run)
                                   .add("block", std::string_view(block.options.block))
                                   .add("samples", session.samples)
                                   .add("seconds", now() - start)
                                   .add("repeating_s", session.repeating)
                                   .add("timed_s", session.timed));
        progress.report(static_cast<double>(done));  // Last of all: a reader may stop here.
    }
}

/// The function that measures a task without cases; null: the task has some.
auto measurement_without_cases(Options::Task task)
    -> void (*)(const Team& team, const Options& options, Sink& sink)
{
    using enum Options::Task;
    if (task == overhead) return measure_overhead;
    if (task == requests) return measure_requests;
    if (task == hops) return measure_hops;
    return nullptr;
}

/// Runs the benchmark, between MPI_Init and MPI_Finalize; returns the exit code.
int run(const Options& options, const std::vector<std::string>& command, const Begin& begin,
        Teams& teams)
{
    using enum Options::Task;
    const Team& everyone = teams.everyone();
    GrowingPlan growing(options, everyone.own);
    const std::vector<Block> blocks = options.task != measure ? std::vector<Block>{}
                                      : options.more          ? growing.next()
                                                              : plan(options, everyone.own);
    Sink sink = open_sink(options.out, everyone.machine, everyone.own);
    sink.write(environment(everyone.machine, options.threads, options.run, command));
    sink.flush();
    if (const auto whole = measurement_without_cases(options.task)) {
        whole(everyone, options, sink);
        Progress(sink, options.run, 1).report(1);
        return 0;
    }

    GlobalClock clock(everyone.own);
    const Counters counters(everyone.own);
    if (options.task == Options::Task::start) {
        report_start(begin, clock, everyone, options.run, sink);
        return 0;
    }

    sink.write(clock.row(options.run));
    Crew crew(options.threads);
    Session session{.options = options,
                    .everyone = everyone,
                    .clock = clock,
                    .counters = counters,
                    .crew = crew,
                    .sink = std::move(sink),
                    .progress = {}};
    if (options.task == probe) {
        Progress progress(session.sink, options.run, 1);
        session.progress = [&](double share) { progress.report(share); };
        run_probe(session);
    } else {
        run_blocks(blocks, teams, session);
        while (options.more) {
            const std::vector<Block> added = growing.next();
            if (added.empty()) break;
            run_blocks(added, teams, session);
        }
    }
    return session.wrong ? wrong_result : 0;
}

/// Prints the MPI library's own algorithms on standard output; returns whether that failed.
bool list_native()
{
    permit_forcing();
    for (const Operation& operation : operations())
        if (!operation.nonblocking)
            for (const Row& row : native_rows(operation.collective))
                if (std::puts(row.json().c_str()) < 0) return true;
    close_tools();
    return false;
}

/// Initialises MPI, for several threads where there are to be some.
void initialise(int& argc, char**& argv, int threads)
{
    const int wanted = threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    int provided = MPI_THREAD_SINGLE;
    const OrdinaryTime meanwhile;
    MPI_Init_thread(&argc, &argv, wanted, &provided);
    if (provided < wanted)
        throw Misunderstood("--threads: this MPI library offers no MPI_THREAD_MULTIPLE");
}

/// Whether --check is asked for. Where options make no sense, they are not all read: so this looks at the words.
bool asks_for_check(int argc, char** argv)
{
    return std::any_of(argv, argv + argc, [](std::string_view word) { return word == "--check"; });
}

/// Says what is wrong with the options, on standard error; returns the exit code.
int only_check(const Options& options, std::string problem)
{
    try {
        if (std::ranges::any_of(options.algorithms, is_forced)) permit_forcing();
        if (problem.empty()) must_make_sense(options);
    } catch (const Misunderstood& error) {
        problem = error.what();
    }
    if (problem.empty()) return 0;
    std::fprintf(stderr, "laneway-bench: %s\n", problem.c_str());
    return bad_usage;
}

/// Runs the whole programme; returns the exit code.
int start(int argc, char** argv)
{
    Begin begin{.first_line = now(), .initialised = 0};
    Options options;
    std::string problem;
    try {
        options = parse(argc, argv);
    } catch (const Misunderstood& error) {
        problem = error.what();
    }
    if (options.task == Options::Task::help) return std::fputs(usage().c_str(), stdout) < 0;
    if (options.task == Options::Task::list) return std::puts(laneway_registry_json()) < 0;
    if (options.task == Options::Task::list_native) return list_native();
    if (options.only_check || (!problem.empty() && asks_for_check(argc, argv)))
        return only_check(options, problem);
    // For `tuned` the algorithms are measured, not the first calls that are left to the library.
    constexpr int unless_set = 0;
    setenv("LANEWAY_PATIENCE", "0", unless_set);
    // Rank 0 reads the plan later: so the command line says, too, whether the plan forces algorithms.
    if (options.forces || std::ranges::any_of(options.algorithms, is_forced)) permit_forcing();

    int status = bad_usage;
    int rank = 0;
    try {
        initialise(argc, argv, options.threads);
        begin.initialised = now();
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        if (!problem.empty()) throw Misunderstood(problem);
        Teams teams(options.threads);
        status = run(options, std::vector<std::string>(argv, argv + argc), begin, teams);
        teams.free();
    } catch (const Misunderstood& error) {
        // The complaint is alike on all ranks: one speaks, and the job ends in good order.
        if (rank == 0) std::fprintf(stderr, "laneway-bench: %s\n", error.what());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "laneway-bench: rank %d: %s\n", rank, error.what());
        MPI_Abort(MPI_COMM_WORLD, wrong_result);
    }
    const OrdinaryTime meanwhile;
    close_tools();
    MPI_Finalize();
    return status;
}

}  // namespace
}  // namespace laneway::bench

int main(int argc, char** argv) { return laneway::bench::start(argc, argv); }
