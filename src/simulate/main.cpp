// SPDX-License-Identifier: BSD-3-Clause
//
// laneway-simulate: what algorithms do, and how long it takes on a machine that is only described. Records
// the algorithms' own code; needs no MPI library.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>
#include <variant>

#include "carriers/simulated/simulated.hpp"
#include "collectives/algorithm.hpp"
#include "simulate/arguments.hpp"
#include "simulate/command_line.hpp"
#include "simulate/explain.hpp"
#include "simulate/json.hpp"
#include "simulate/outcome.hpp"
#include "simulate/probe.hpp"
#include "simulate/record.hpp"
#include "text/text.hpp"

namespace laneway::simulate {
namespace {

void tell(double part)
{
    print({{"kind", "progress"}, {"done", rounded(part, 3)}});
    std::fflush(stdout);
}

/// Seconds of this process on its core.
double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// The machines with the data of a call in memory, and in caches.
class Machines {
public:
    Machines(const Arguments& arguments, int nodes)
        : machine_(machine_of(arguments, nodes)),
          cached_(cached_of(arguments, machine_))
    {
    }
    const Machine& of(const Recorded& recorded) const
    {
        const auto scratch = static_cast<std::int64_t>(recorded.schedule.scratch_bytes());
        return recorded.buffers + scratch <= cached_.first ? cached_.second : machine_;
    }

private:
    Machine machine_;
    std::pair<std::int64_t, Machine> cached_;
};

/// The parts of an outcome that are wanted besides the time.
struct Wanted {
    bool bounds, loads, traced;

    explicit Wanted(const Arguments& arguments)
        : bounds(arguments.yes("bounds")),
          loads(arguments.yes("loads")),
          traced(arguments.yes("trace"))
    {
    }
};

/// Tells the time of the call that `record(progress)` records.
template <class Record>
void time_of(const Record& record, const Job& job, const Machines& machines, const Wanted& wanted)
{
    // The share of recording in the whole time, about a third.
    constexpr double recording = 0.3;
    const double began = seconds();
    const Recorded recorded = record([](double part) { tell(recording * part); });
    const double recorded_at = seconds();
    const Machine& machine = machines.of(recorded);
    std::optional<Trace> trace;
    if (wanted.bounds || wanted.traced) trace.emplace(recorded.schedule);
    Simulated simulated(recorded.schedule, *job.layout, machine, trace ? &*trace : nullptr);
    simulated.run([](double part) { tell(recording + (1 - recording) * part); });
    const double ended = seconds();
    const Outcome outcome{recorded.schedule, *job.layout, machine, simulated,
                          wanted.bounds ? &*trace : nullptr};
    Json row = {{"kind", "result"},
                {"served_by", text_or_null(recorded.served_by)},
                {"needs", recorded.needs},
                {"rules", recorded.rules},
                {"bytes", recorded.bytes},
                {"count", job.count},
                {"time_us", static_cast<double>(simulated.end()) / 1e6},
                {"messages", recorded.schedule.messages().size() / 2},
                {"events", simulated.events()},
                {"recorded_s", rounded(recorded_at - began, 3)},
                {"simulated_s", rounded(ended - recorded_at, 3)}};
    if (recorded.crossing) row["crossing"] = json_of(*recorded.crossing);
    row.update(outcome.json());
    print(row);
    if (wanted.loads) outcome.print_loads();
    if (wanted.traced) print_trace(recorded.schedule, *job.layout, machine, *trace);
}

void time_call(const Arguments& arguments)
{
    const Job job = job_of(arguments);
    const Machines machines(arguments, job.layout->nodes());
    const Wanted wanted(arguments);
    time_of([&](const auto& progress) { return record(job, progress); }, job, machines, wanted);
}

void time_probe(const Arguments& arguments)
{
    const Job job = job_of(arguments);
    const Probe probe = probe_of(arguments, job);
    const Machines machines(arguments, job.layout->nodes());
    const Wanted wanted(arguments);
    time_of([&](const auto&) { return record(probe, job); }, job, machines, wanted);
}

void explain_call(const Arguments& arguments)
{
    const Job job = job_of(arguments);
    const int lanes = machine_of(arguments, job.layout->nodes()).lanes;
    Explanation wanted{.rounds = arguments.yes("rounds"), .messages = arguments.yes("messages")};
    const auto rank = arguments.whole("rank", 0, wanted.rank);
    if (rank >= job.layout->ranks())
        throw Misunderstood("--rank: there are " + std::to_string(job.layout->ranks()) + " ranks");
    wanted.rank = static_cast<int>(rank);
    explain(record(job), job, lanes, wanted);
}

void goal_of_call(const Arguments& arguments)
{
    const Job job = job_of(arguments);
    const Machines machines(arguments, job.layout->nodes());
    const Recorded recorded = record(job);
    print_goal(recorded.schedule, machines.of(recorded));
}

void run(int argc, char** argv)
{
    const auto read = simulate::read(argc, argv);
    if (const auto* const help = std::get_if<std::string>(&read))
        return static_cast<void>(std::fputs(help->c_str(), stdout));
    const auto& [command, options] = std::get<Asked>(read);
    const Arguments arguments(options);
    if (command == "time") return time_call(arguments);
    if (command == "probe") return time_probe(arguments);
    if (command == "explain") return explain_call(arguments);
    if (command == "goal") return goal_of_call(arguments);
    std::puts(registry::json().c_str());
}

}  // namespace
}  // namespace laneway::simulate

int main(int argc, char** argv)
{
    try {
        laneway::simulate::run(argc, argv);
        return EXIT_SUCCESS;
    } catch (const laneway::Misunderstood& why) {
        std::fprintf(stderr, "laneway-simulate: %s\n", why.what());
        return 2;
    } catch (const std::exception& why) {
        std::fprintf(stderr, "laneway-simulate: %s\n", why.what());
        return EXIT_FAILURE;
    }
}
