// SPDX-License-Identifier: BSD-3-Clause
//
// laneway-simulate: what algorithms do, and how long it takes on a machine that is only described. Records
// the algorithms' own texts; needs no MPI library.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>

#include "carriers/simulated/simulated.hpp"
#include "collectives/algorithm.hpp"
#include "simulate/arguments.hpp"
#include "simulate/explain.hpp"
#include "simulate/outcome.hpp"
#include "simulate/probe.hpp"
#include "simulate/record.hpp"
#include "text/text.hpp"

namespace laneway::simulate {
namespace {

constexpr const char* usage =
    "usage: laneway-simulate COMMAND --option value ...\n"
    "  time      the time of a call; --bounds yes for what it goes to, --loads yes for each lane "
    "and\n"
    "            link, --trace yes for each step and each message on a lane\n"
    "  explain   what it costs; --rounds yes, --messages yes, --rank R for more\n"
    "  goal      its schedule for LogGOPSim\n"
    "  probe     the time of a benchmark of lanes: --pattern lanes|collectives --virtual-lanes K\n"
    "            --repetitions R\n"
    "  list      the algorithms\n"
    "What is called, and where:\n"
    "  --collective C --algorithm A --count N --datatype T --root R\n"
    "  --nodes SIZES   processes of each node: 4+4+3, or 16x6912 for so many of 16\n"
    "  --placement node|cyclic     ranks fill node after node, or go round the nodes\n"
    "  --socket-size N processes of each socket\n"
    "  --lanes L       network lanes of a node\n"
    "  --components rounds|bytes   what components of algorithms need few of\n"
    "  --library FILE  the profile of an MPI library: components are its collectives, and native "
    "is\n"
    "The machine, in seconds and in bytes a second (what is not given takes no time):\n"
    "  --lane-bandwidth --lane-latency --lane-message --sharing fifo|fair\n"
    "  --lane-delays BYTES=T,...   what a message takes besides, by its length\n"
    "  --lane-burst BYTES          that pass a lane at once after a pause\n"
    "  --leaves-by sender|receiver whose lane a message leaves by\n"
    "  --node-bandwidth --node-latency --node-copy --send --receive --reduce --copy --pack\n"
    "  --cache-size BYTES   of a process; calls whose data fit go by, where they are given:\n"
    "  --cached-node-bandwidth --cached-node-copy --cached-reduce --cached-copy --cached-pack\n"
    "  --eager BYTES   longer messages leave when both sides are ready\n"
    "  --lane-eager BYTES --node-eager BYTES   the same between nodes, and within one\n"
    "  --lane-handshake --node-handshake   until then, in place of two latencies\n"
    "  --topology flat|torus|fat_tree --link-bandwidth --hop-latency   links between lanes\n"
    "  --shape 4x3x2   of a torus: nodes of each dimension\n"
    "  --leaf N --up N of a fat tree: nodes of a leaf switch, its links to the core\n"
    "Prints JSON, a line each: how far it is, and in the end what came out.\n";

void tell(double part)
{
    std::printf("{\"kind\": \"progress\", \"done\": %.3f}\n", part);
    std::fflush(stdout);
}

/// Of this process on its core.
double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// With the data of a call in memory, and in caches.
class Machines {
public:
    Machines(Arguments& arguments, int nodes)
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

/// What is to be told besides the time.
struct Wanted {
    bool bounds, loads, traced;

    explicit Wanted(Arguments& arguments)
        : bounds(arguments.text("bounds", "no") == "yes"),
          loads(arguments.text("loads", "no") == "yes"),
          traced(arguments.text("trace", "no") == "yes")
    {
    }
};

/// Of what is recorded by `record(progress)`.
template <class Record>
void time_of(const Record& record, const Job& job, const Machines& machines, const Wanted& wanted)
{
    // Of the time that it takes, recording is about a third.
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
    std::string rules;
    for (const std::string& rule : recorded.rules)
        rules += (rules.empty() ? "" : ", ") + in_json(rule);
    std::printf(
        "{\"kind\": \"result\", \"served_by\": %s, \"needs\": %s, \"rules\": [%s], \"bytes\": "
        "%lld, \"time_us\": %.6f, \"messages\": %zu, \"events\": %llu, \"recorded_s\": %.3f, "
        "\"simulated_s\": %.3f, %s}\n",
        recorded.served_by.empty() ? "null" : in_json(recorded.served_by).c_str(),
        in_json(recorded.needs).c_str(), rules.c_str(), static_cast<long long>(recorded.bytes),
        static_cast<double>(simulated.end()) / 1e6, recorded.schedule.messages().size() / 2,
        static_cast<unsigned long long>(simulated.events()), recorded_at - began,
        ended - recorded_at, outcome.in_json().c_str());
    if (wanted.loads) outcome.print_loads();
    if (wanted.traced) print_trace(recorded.schedule, *job.layout, machine, *trace);
}

void time_call(Arguments& arguments)
{
    const Job job = job_of(arguments);
    const Machines machines(arguments, job.layout->nodes());
    const Wanted wanted(arguments);
    arguments.must_be_known();
    time_of([&](const auto& progress) { return record(job, progress); }, job, machines, wanted);
}

void time_probe(Arguments& arguments)
{
    const Job job = job_of(arguments);
    const Probe probe = probe_of(arguments, job);
    const Machines machines(arguments, job.layout->nodes());
    const Wanted wanted(arguments);
    arguments.must_be_known();
    time_of([&](const auto&) { return record(probe, job); }, job, machines, wanted);
}

void explain_call(Arguments& arguments)
{
    const Job job = job_of(arguments);
    const int lanes = machine_of(arguments, job.layout->nodes()).lanes;
    Explanation wanted{.rounds = arguments.text("rounds", "no") == "yes",
                       .messages = arguments.text("messages", "no") == "yes"};
    const auto rank = arguments.whole("rank", 0, wanted.rank);
    if (rank >= job.layout->ranks())
        throw Misunderstood("--rank: there are " + std::to_string(job.layout->ranks()) + " ranks");
    wanted.rank = static_cast<int>(rank);
    arguments.must_be_known();
    explain(record(job), job, lanes, wanted);
}

void goal_of_call(Arguments& arguments)
{
    const Job job = job_of(arguments);
    const Machines machines(arguments, job.layout->nodes());
    arguments.must_be_known();
    const Recorded recorded = record(job);
    print_goal(recorded.schedule, machines.of(recorded));
}

void run(int argc, char** argv)
{
    Arguments arguments(argc, argv);
    const std::string& command = arguments.command();
    if (command == "time") return time_call(arguments);
    if (command == "probe") return time_probe(arguments);
    if (command == "explain") return explain_call(arguments);
    if (command == "goal") return goal_of_call(arguments);
    if (command == "list") return static_cast<void>(std::puts(registry_json().c_str()));
    throw Misunderstood("no command " + in_quotes(command));
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
        if (argc < 2) std::fputs(laneway::simulate::usage, stderr);
        return 2;
    } catch (const std::exception& why) {
        std::fprintf(stderr, "laneway-simulate: %s\n", why.what());
        return EXIT_FAILURE;
    }
}
