// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/command_line.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "command_line/command_line.hpp"
#include "text/text.hpp"

namespace laneway::simulate {
namespace {

constexpr const char* about =
    "laneway-simulate: what algorithms do, and how long it takes on a machine that is described\n"
    "\n"
    "Prints JSON, a line each: how far it is, and in the end what came out.\n"
    "`laneway-simulate COMMAND --help` has the options of a command.";

/// An option, what stands for its value in the help, and what it says.
struct Entry {
    const char *name, *value, *about;
};

struct Group {
    const char* title;
    std::vector<Entry> entries;
};

const Group call{
    "What is called",
    {{"--collective", "C", "bcast, allreduce ..."},
     {"--algorithm", "A", "with tunables: lane_pipeline(segment=4K)"},
     {"--count", "N", "as in the MPI call; of a vector collective, of the mean block"},
     {"--layout", "NAME", "of its blocks: equal, ramp, single, random, sparse, stencil, file:PATH"},
     {"--datatype", "T", "int, double ..."},
     {"--root", "R", "of those that have one"},
     {"--components", "rounds|bytes", "what components of algorithms need few of"},
     {"--library", "FILE",
      "the profile of an MPI library: components are its collectives, and native is"},
     {"--short", "library|laneway",
      "whose components of short messages are then [library]; laneway: as in a program"},
     {"--shares", "required|empty", "whether what is shared out must have an element a lane"}}};

const Group place{
    "Where it is called",
    {{"--nodes", "SIZES", "processes of each node: 4+4+3, or 16x6912 for so many of 16"},
     {"--placement", "node|cyclic", "ranks fill node after node, or go round the nodes"},
     {"--socket-size", "N", "processes of each socket, which ranks fill one after the other"},
     {"--sockets", "N", "of a node, which ranks go round"},
     {"--lanes", "L", "network lanes of a node"},
     {"--lane-weights", "W:W...[,NODE=W:W...]",
      "how much each carries in the time of the others, also of single nodes by their numbers; "
      "--lane-bandwidth is that of the fastest"}}};

const Group machine{
    "The machine, in seconds and in bytes a second; what is not given takes no time",
    {{"--lane-bandwidth", "RATE", "of a lane"},
     {"--lane-latency", "TIME", "of a lane"},
     {"--lane-message", "TIME", "that a lane needs for each message"},
     {"--lane-delays", "BYTES=TIME,...", "what a message takes besides, by its length"},
     {"--lane-burst", "BYTES", "that pass a lane at once after a pause"},
     {"--lane-eager", "BYTES", "longer messages between nodes leave when both sides are ready"},
     {"--lane-handshake", "TIME", "until then, in place of two latencies"},
     {"--sharing", "fifo|fair", "messages of a lane follow each other, or share it"},
     {"--leaves-by", "sender|receiver", "whose lane a message leaves by"},
     {"--topology", "flat|torus|fat_tree", "links between lanes"},
     {"--link-bandwidth", "RATE", "of a link"},
     {"--hop-latency", "TIME", "of a link"},
     {"--shape", "4x3x2", "of a torus: nodes of each dimension"},
     {"--leaf", "N", "of a fat tree: nodes of a leaf switch"},
     {"--up", "N", "of a fat tree: links of a leaf switch to the core"},
     {"--node-bandwidth", "RATE", "of the memory of a node"},
     {"--node-latency", "TIME", "of a message within a node"},
     {"--socket-latency", "TIME", "on top, between sockets of a node"},
     {"--node-copy", "RATE", "of a process that copies a message out of shared memory"},
     {"--node-fragment", "BYTES", "copied in and out of shared memory at once, one after another"},
     {"--node-pack", "RATE", "in place of --node-copy and --pack: not in a row, in one go"},
     {"--node-eager", "BYTES", "longer messages within a node leave when both sides are ready"},
     {"--node-handshake", "TIME", "until then, in place of two latencies"},
     {"--send", "TIME", "of a process for each message that it sends"},
     {"--receive", "TIME", "of a process for each message that it receives"},
     {"--reduce", "RATE", "of reductions"},
     {"--copy", "RATE", "of copies"},
     {"--pack", "RATE", "of packing"},
     {"--eager", "BYTES", "longer messages leave when both sides are ready"},
     {"--cache-size", "BYTES", "of a process; calls whose data fit go by these, where given:"},
     {"--cached-node-bandwidth", "RATE", "in place of --node-bandwidth"},
     {"--cached-node-copy", "RATE", "in place of --node-copy"},
     {"--cached-node-pack", "RATE", "in place of --node-pack"},
     {"--cached-reduce", "RATE", "in place of --reduce"},
     {"--cached-copy", "RATE", "in place of --copy"},
     {"--cached-pack", "RATE", "in place of --pack"}}};

const Group times{"What is told besides the time",
                  {{"--bounds", "yes", "what the time goes to"},
                   {"--loads", "yes", "each lane and link"},
                   {"--trace", "yes", "each step, and each message on a lane"}}};

const Group parts{"What is told besides the sums",
                  {{"--rounds", "yes", "each round"},
                   {"--messages", "yes", "each message"},
                   {"--rank", "R", "the steps of rank R"}}};

const Group benchmark{"The benchmark",
                      {{"--pattern", "lanes|collectives", "what it does"},
                       {"--between", "next|pairs|both|all|hypercube", "which nodes lanes join"},
                       {"--virtual-lanes", "K", "processes of a node that take part"},
                       {"--repetitions", "R", "how often"}}};

struct Command {
    const char *name, *about;
    std::vector<const Group*> groups;
};

const std::vector<Command> commands = {
    {"time", "the time of a call", {&call, &place, &machine, &times}},
    {"explain", "what a call costs", {&call, &place, &machine, &parts}},
    {"goal", "the schedule of a call for LogGOPSim", {&call, &place, &machine}},
    {"probe", "the time of a benchmark of lanes", {&benchmark, &call, &place, &machine, &times}},
    {"list", "the algorithms", {}}};

std::string help_of_all()
{
    std::string all = std::string(about) + "\n\nCommands:\n";
    for (const Command& command : commands) {
        std::string line = std::string("  ") + command.name;
        constexpr std::size_t column = 28;
        line.resize(column, ' ');
        all += line + command.about + "\n";
    }
    return all;
}

/// The options of a group, whose values are kept by name.
std::vector<Option> kept(const Group& group, Asked& asked)
{
    std::vector<Option> options;
    for (const Entry& entry : group.entries)
        options.push_back({entry.name, entry.value, entry.about,
                           [&asked, name = std::string(entry.name + 2)](const std::string& value) {
                               asked.options[name] = value;
                           }});
    return options;
}

}  // namespace

std::variant<Asked, std::string> read(int argc, char** argv)
{
    if (argc < 2) throw Misunderstood("a subcommand is required; see --help");
    const std::string_view named = argv[1];
    if (named == "-h" || named == "--help") return help_of_all();
    const auto command = std::ranges::find(commands, named, &Command::name);
    if (command == commands.end())
        throw Misunderstood("no command " + in_quotes(named) + "; see --help");
    Asked asked{command->name, {}};
    CommandLine line(command->about);
    for (const Group* const group : command->groups) line.add(group->title, kept(*group, asked));
    if (!line.read(argc - 1, argv + 1)) return line.help();
    return asked;
}

}  // namespace laneway::simulate
