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
    "  list      the algorithms\n"
    "What is called, and where:\n"
    "  --collective C --algorithm A --count N --datatype T --root R\n"
    "  --nodes SIZES   processes of each node: 4+4+3, or 16x6912 for so many of 16\n"
    "  --socket-size N processes of each socket\n"
    "  --lanes L       network lanes of a node\n"
    "  --components rounds|bytes   what components of algorithms need few of\n"
    "The machine, in seconds and in bytes a second (what is not given takes no time):\n"
    "  --lane-bandwidth --lane-latency --lane-message --sharing fifo|fair\n"
    "  --lane-burst BYTES          that pass a lane at once after a pause\n"
    "  --leaves-by sender|receiver whose lane a message leaves by\n"
    "  --node-bandwidth --node-latency --send --receive --reduce --copy --pack\n"
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

void time_call(Arguments& arguments)
{
    // Of the time that it takes, recording is about a third.
    constexpr double recording = 0.3;
    const Job job = job_of(arguments);
    const Machine machine = machine_of(arguments, job.layout->nodes());
    const bool bounds = arguments.text("bounds", "no") == "yes";
    const bool loads = arguments.text("loads", "no") == "yes";
    const bool traced = arguments.text("trace", "no") == "yes";
    arguments.must_be_known();
    const double began = seconds();
    const Recorded recorded = record(job, [](double part) { tell(recording * part); });
    const double recorded_at = seconds();
    std::optional<Trace> trace;
    if (bounds || traced) trace.emplace(recorded.schedule);
    Simulated simulated(recorded.schedule, *job.layout, machine, trace ? &*trace : nullptr);
    simulated.run([](double part) { tell(recording + (1 - recording) * part); });
    const double ended = seconds();
    const Outcome outcome{recorded.schedule, *job.layout, machine, simulated,
                          bounds ? &*trace : nullptr};
    std::printf(
        "{\"kind\": \"result\", \"served_by\": %s, \"needs\": %s, \"bytes\": %lld, \"time_us\": "
        "%.6f, \"messages\": %zu, \"events\": %llu, \"recorded_s\": %.3f, \"simulated_s\": %.3f, "
        "%s}\n",
        recorded.served_by.empty() ? "null" : in_json(recorded.served_by).c_str(),
        in_json(recorded.needs).c_str(), static_cast<long long>(recorded.bytes),
        static_cast<double>(simulated.end()) / 1e6, recorded.schedule.messages().size() / 2,
        static_cast<unsigned long long>(simulated.events()), recorded_at - began,
        ended - recorded_at, outcome.in_json().c_str());
    if (loads) outcome.print_loads();
    if (traced) print_trace(recorded.schedule, *job.layout, machine, *trace);
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
    const Machine machine = machine_of(arguments, job.layout->nodes());
    arguments.must_be_known();
    print_goal(record(job).schedule, machine);
}

void run(int argc, char** argv)
{
    Arguments arguments(argc, argv);
    const std::string& command = arguments.command();
    if (command == "time") return time_call(arguments);
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
