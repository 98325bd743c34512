// SPDX-License-Identifier: BSD-3-Clause
#include "bench/tasks/requests.hpp"

#include <laneway.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "bench/job/clock.hpp"
#include "bench/job/ranks.hpp"
#include "bench/timing/statistics.hpp"
#include "library/error.hpp"
#include "library/returning.hpp"

namespace laneway::bench {
namespace {

constexpr int tests = 50;         ///< tests in one computation, as IMB-NBC's users make them
constexpr double block_s = 2e-3;  ///< seconds: calls are timed together for at least so long
constexpr std::size_t measured[] = {8, 64 << 10, 1 << 20};

/// Memory of a call, in doubles.
struct Data {
    std::vector<double> input, result;
    explicit Data(std::size_t bytes) : input(bytes / sizeof(double), 1), result(input.size()) {}
    int count() const { return static_cast<int>(input.size()); }
};

/// One way to make a call.
struct Way {
    std::string form, algorithm;
    std::function<void(MPI_Request*)> begin;
    std::function<void()> call;  ///< null: begin and MPI_Wait
    MPI_Request restarted = MPI_REQUEST_NULL;
    std::vector<double> seconds = {};  ///< seconds of a call, in each block
    // Beside computation of the same length, in each block:
    std::vector<double> hidden = {};  ///< share of the call that goes on meanwhile
    std::vector<double> added = {};   ///< seconds by which the computation ends later

    void once()
    {
        if (call) return call();
        MPI_Request request = MPI_REQUEST_NULL;
        begin(&request);
        check(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
};

void wait_for(MPI_Request& request) { check(MPI_Wait(&request, MPI_STATUS_IGNORE)); }

/// Adds the ways to call allreduce by one algorithm.
void add_ways(std::vector<Way>& ways, const std::string& algorithm, Data& data, MPI_Comm comm)
{
    const auto name = [algorithm] { return algorithm.c_str(); };
    ways.push_back({"blocking", algorithm, {}, [=, &data] {
                        check(laneway_allreduce_with(name(), data.input.data(), data.result.data(),
                                                     data.count(), MPI_DOUBLE, MPI_SUM, comm));
                    }});
    ways.push_back({"nonblocking",
                    algorithm,
                    [=, &data](MPI_Request* request) {
                        check(laneway_iallreduce_with(name(), data.input.data(), data.result.data(),
                                                      data.count(), MPI_DOUBLE, MPI_SUM, comm,
                                                      request));
                    },
                    {}});
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    check(MPI_Comm_get_errhandler(comm, &handler));
    check(return_errors(comm));
    MPI_Request persistent = MPI_REQUEST_NULL;
    const int code =
        laneway_allreduce_init_with(name(), data.input.data(), data.result.data(), data.count(),
                                    MPI_DOUBLE, MPI_SUM, comm, MPI_INFO_NULL, &persistent);
    check(MPI_Comm_set_errhandler(comm, handler));
    check(MPI_Errhandler_free(&handler));
    if (code != MPI_SUCCESS) return;  // the library has no persistent form
    ways.push_back({"persistent", algorithm, {}, {}, persistent});
}

/// Seconds of one of `calls` calls, on the slowest rank.
double time_calls(const std::function<void()>& call, int calls, const Team& team)
{
    team.barrier();
    const double start = now();
    for (int i = 0; i < calls; ++i) call();
    return largest({now() - start}, team.own).front() / calls;
}

/// Computes for so long; with a request, tests it meanwhile. The result must be used.
double compute(double seconds, MPI_Request* request)
{
    double sum = 0;
    for (int part = 1; part <= tests; ++part) {
        for (const double until = now() + seconds / tests; now() < until;) sum += now();
        int done = 0;
        if (request) check(MPI_Test(request, &done, MPI_STATUS_IGNORE));
    }
    return sum;
}

/// Makes calls beside computation of the same length: the share that goes on meanwhile (IMB-NBC: overlap), and the
/// time that they add. Where two calls add the same, the one that takes less alone has the smaller share.
void beside_computation(Way& way, double seconds, int calls, const Team& team)
{
    double sum = 0;
    const double both = time_calls(
        [&] {
            MPI_Request request = MPI_REQUEST_NULL;
            way.begin(&request);
            sum += compute(seconds, &request);
            wait_for(request);
        },
        calls, team);
    const double alone = time_calls([&] { sum += compute(seconds, nullptr); }, calls, team);
    if (sum < 0) throw Error(MPI_ERR_OTHER);
    way.hidden.push_back(std::clamp((seconds + alone - both) / std::min(seconds, alone), 0.0, 1.0));
    way.added.push_back(both - alone);
}

void measure_size(std::size_t bytes, const std::vector<std::string>& algorithms, const Team& team,
                  const Options& options, Sink& sink)
{
    Data data(bytes);
    std::vector<Way> ways;
    for (const std::string& algorithm : algorithms) add_ways(ways, algorithm, data, team.own);
    for (Way& way : ways)
        if (way.restarted != MPI_REQUEST_NULL)
            way.call = [&way] {
                check(MPI_Start(&way.restarted));
                wait_for(way.restarted);
            };

    const double guess = time_calls([&] { ways.front().once(); }, 10, team);
    const int calls = std::max(1, static_cast<int>(block_s / guess));
    const auto block = [&](Way& way) { return time_calls([&] { way.once(); }, calls, team); };
    for (Way& way : ways) block(way);
    std::vector<std::size_t> order(ways.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mt19937 generator(options.seed + static_cast<unsigned>(options.run));
    for (int i = 0; i < options.budget.repetitions; ++i) {
        std::ranges::shuffle(order, generator);
        for (const std::size_t at : order) {
            Way& way = ways[at];
            way.seconds.push_back(block(way));
            if (way.begin) beside_computation(way, way.seconds.back(), calls, team);
        }
    }

    const double blocking = median(ways.front().seconds);
    for (Way& way : ways) {
        const double us = median(way.seconds) * 1e6;
        Row row("requests");
        row.add("run", options.run)
            .add("collective", "allreduce")
            .add("form", std::string_view(way.form))
            .add("algorithm", std::string_view(way.algorithm))
            .add("bytes", static_cast<std::int64_t>(bytes))
            .add("ranks", team.machine.size)
            .add("library", team.machine.library)
            .add("blocks", options.budget.repetitions)
            .add("calls", calls)
            .add("us", us)
            .add("over_native_blocking", us / blocking / 1e6);
        std::string beside;
        if (way.begin) {
            const double hidden = median(way.hidden), added_us = median(way.added) * 1e6;
            row.add("overlap", hidden).add("added_us", added_us);
            beside = "  overlap " + std::to_string(static_cast<int>(hidden * 100)) + " %, adds " +
                     std::to_string(static_cast<int>(added_us)) + " us";
        }
        sink.write(row);
        if (team.machine.rank == 0)
            std::fprintf(stderr, "%8zu bytes  %-12s %-20s %10.2f us  %5.2f%s\n", bytes,
                         way.form.c_str(), way.algorithm.c_str(), us, us / blocking / 1e6,
                         beside.c_str());
        if (way.restarted != MPI_REQUEST_NULL) check(MPI_Request_free(&way.restarted));
    }
    sink.flush();
}

}  // namespace

void measure_requests(const Team& team, const Options& options, Sink& sink)
{
    check(laneway_decompose(team.own));
    std::vector<std::string> algorithms{"native"};
    for (const std::string& name : options.algorithms)
        if (name != "all" && name != "native") algorithms.push_back(name);
    if (algorithms.size() == 1)
        for (int i = 0; const char* const name = laneway_algorithm("allreduce", i); ++i)
            if (name != algorithms.front()) algorithms.emplace_back(name);
    for (const std::size_t bytes : measured) measure_size(bytes, algorithms, team, options, sink);
}

}  // namespace laneway::bench
