// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/arguments.hpp"

#include <charconv>
#include <climits>
#include <cmath>
#include <functional>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "simulate/blocks.hpp"
#include "simulate/elements.hpp"
#include "simulate/lanes.hpp"
#include "simulate/nodes.hpp"
#include "text/text.hpp"

namespace laneway::simulate {
namespace {

constexpr double picoseconds = 1e12;

/// The most seconds of anything that a machine does: far from where the clock ends.
constexpr double most_seconds = 3600;

/// Throws Misunderstood, which names the option.
Time time_of(const std::string& name, double seconds)
{
    if (seconds > most_seconds)
        throw Misunderstood("--" + name + ": more than an hour: is the unit right?");
    return static_cast<Time>(std::llround(seconds * picoseconds));
}

/// Throws Misunderstood, which names the option.
double decimal_of(const std::string& name, std::string_view value)
{
    double result = 0;
    const char* const end_of_value = value.data() + value.size();
    // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): the end is told
    const auto [end, failed] = std::from_chars(value.data(), end_of_value, result);
    if (failed != std::errc{} || end != end_of_value || !(result >= 0) || !std::isfinite(result))
        throw Misunderstood("--" + name + ": " + in_quotes(value) + " is no number of at least 0");
    return result;
}

/// The least bytes a second: slower, and messages would take longer than the clock goes.
constexpr double least_rate = 1000;

/// The picoseconds of a byte; 0: no time. Throws Misunderstood, which names the option.
double byte_of(const std::string& name, double rate)
{
    if (rate > 0 && rate < least_rate)
        throw Misunderstood("--" + name + ": less than 1 kB/s: is the unit right?");
    return rate > 0 ? picoseconds / rate : 0;
}

/// The nodes as `--nodes` and `--placement` say: ranks fill node after node, or go round the nodes.
Nodes placed(const Arguments& arguments)
{
    Nodes nodes = nodes_of(arguments.text("nodes"));
    const std::string placement = arguments.text("placement", "node");
    if (placement == "cyclic") return dealt_to(std::move(nodes));
    if (placement == "node") return nodes;
    throw Misunderstood("--placement: " + in_quotes(placement) + " is neither 'node' nor 'cyclic'");
}

constexpr int most_lanes = 1024, most_nodes = 1 << 24;

NetworkLanes lanes_of(const Arguments& arguments)
{
    return simulate::lanes_of(arguments.number("lanes", 1, 0, most_lanes),
                              arguments.text("lane-weights", ""));
}
constexpr std::int64_t most_links = 1 << 26;

/// The shape in a text: `4x3x2`.
std::vector<int> shape_of(std::string_view text)
{
    std::vector<int> shape;
    std::int64_t nodes = 1;
    while (!text.empty()) {
        try {
            shape.push_back(static_cast<int>(number(next(text, 'x'), 1, most_nodes)));
        } catch (const Misunderstood& why) {
            throw Misunderstood(std::string("--shape: ") + why.what() +
                                "; nodes of each dimension are told as 4x3x2");
        }
        nodes *= shape.back();
        if (nodes > most_nodes) throw Misunderstood("--shape: too many nodes");
    }
    if (shape.empty()) throw Misunderstood("--shape is missing: nodes of each dimension, as 4x3x2");
    return shape;
}

Topology topology_of(const Arguments& arguments)
{
    Topology topology{
        .link_byte = byte_of("link-bandwidth", arguments.decimal("link-bandwidth", 0)),
        .hop = time_of("hop-latency", arguments.seconds("hop-latency"))};
    const std::string kind = arguments.text("topology", "flat");
    if (kind == "torus") {
        topology.kind = Topology::Kind::torus;
        topology.shape = shape_of(arguments.text("shape", ""));
    } else if (kind == "fat_tree") {
        topology.kind = Topology::Kind::fat_tree;
        topology.leaf = arguments.number("leaf", 1, 1, most_nodes);
        topology.up = arguments.number("up", 1, 1);
    } else if (kind != "flat") {
        throw Misunderstood("--topology: " + in_quotes(kind) +
                            " is neither 'flat' nor 'torus' nor 'fat_tree'");
    }
    return topology;
}

/// The delays in a text: `0=1e-6,4096=2e-6`, by bytes, in seconds.
Delays delays_of(std::string_view text)
{
    std::vector<Delays::Point> points;
    while (!text.empty()) {
        std::string_view seconds = next(text, ',');
        const std::int64_t bytes = number(next(seconds, '='), 0, INT64_MAX, true);
        const Time time = time_of("lane-delays", laneway::seconds(seconds));
        if (!points.empty() && bytes <= points.back().bytes)
            throw Misunderstood("--lane-delays: bytes do not ascend");
        points.push_back({bytes, static_cast<double>(time)});
    }
    return Delays(std::move(points));
}

}  // namespace

std::string Arguments::text(const std::string& name, const std::string& preset) const
{
    const auto found = given_.find(name);
    return found == given_.end() ? preset : found->second;
}

std::string Arguments::text(const std::string& name) const
{
    std::string value = text(name, "");
    if (value.empty()) throw Misunderstood("--" + name + " is missing");
    return value;
}

std::int64_t Arguments::bytes(const std::string& name, std::int64_t preset) const
{
    const std::string value = text(name, "");
    try {
        return value.empty() ? preset : laneway::number(value, 0, INT64_MAX, true);
    } catch (const Misunderstood& why) {
        throw Misunderstood("--" + name + ": " + why.what());
    }
}

double Arguments::seconds(const std::string& name) const
{
    const std::string value = text(name, "");
    try {
        return value.empty() ? 0 : laneway::seconds(value);
    } catch (const Misunderstood& why) {
        throw Misunderstood("--" + name + ": " + why.what());
    }
}

std::int64_t Arguments::whole(const std::string& name, std::int64_t least, std::int64_t preset,
                              std::int64_t most) const
{
    const std::string value = text(name, "");
    try {
        return value.empty() ? preset : laneway::number(value, least, most);
    } catch (const Misunderstood& why) {
        throw Misunderstood("--" + name + ": " + why.what());
    }
}

int Arguments::number(const std::string& name, int least, int preset, int most) const
{
    return static_cast<int>(whole(name, least, preset, most));
}

double Arguments::decimal(const std::string& name, double preset) const
{
    const std::string value = text(name, "");
    return value.empty() ? preset : decimal_of(name, value);
}

Job job_of(const Arguments& arguments)
{
    const std::string components = arguments.text("components", "rounds");
    if (components != "rounds" && components != "bytes")
        throw Misunderstood("--components: " + in_quotes(components) +
                            " is neither 'rounds' nor 'bytes'");
    const std::string shares = arguments.text("shares", "required");
    if (shares != "required" && shares != "empty")
        throw Misunderstood("--shares: " + in_quotes(shares) +
                            " is neither 'required' nor 'empty'");
    const std::string short_ones = arguments.text("short", "library");
    if (short_ones != "laneway" && short_ones != "library")
        throw Misunderstood("--short: " + in_quotes(short_ones) +
                            " is neither 'laneway' nor 'library'");
    if (short_ones == "laneway" && arguments.text("library", "").empty())
        throw Misunderstood("--short: without --library all components are Laneway's");
    if (arguments.whole("socket-size", 1, 0) > 0 && arguments.whole("sockets", 1, 0) > 0)
        throw Misunderstood("--sockets or --socket-size: ranks go round sockets, or fill them");
    Job job{.collective = arguments.text("collective"),
            .algorithm = arguments.text("algorithm", "native"),
            .count = arguments.whole("count", 0, 1),
            .type = datatype_named(arguments.text("datatype", "int")),
            .root = arguments.number("root", 0, 0),
            .saves_bytes = components == "bytes",
            .library = arguments.text("library", ""),
            .short_too = short_ones == "library",
            .empty_shares = shares == "empty",
            .layout = layout_of(mapping_of(placed(arguments), arguments.whole("socket-size", 1, 0),
                                           arguments.whole("sockets", 1, 0)),
                                lanes_of(arguments))};
    if (job.type == MPI_DATATYPE_NULL)
        throw Misunderstood("no datatype " + in_quotes(arguments.text("datatype", "int")));
    if (job.root >= job.layout->ranks())
        throw Misunderstood("--root: there are " + std::to_string(job.layout->ranks()) + " ranks");
    lay_out_blocks(job, arguments.text("layout", "equal"));
    return job;
}

Machine machine_of(const Arguments& arguments, int nodes)
{
    const std::string sharing = arguments.text("sharing", "fifo");
    if (sharing != "fifo" && sharing != "fair")
        throw Misunderstood("--sharing: " + in_quotes(sharing) + " is neither 'fifo' nor 'fair'");
    const std::string leaves_by = arguments.text("leaves-by", "sender");
    if (leaves_by != "sender" && leaves_by != "receiver")
        throw Misunderstood("--leaves-by: " + in_quotes(leaves_by) +
                            " is neither 'sender' nor 'receiver'");
    const auto time = [&](const char* name) { return time_of(name, arguments.seconds(name)); };
    const auto byte = [&](const char* name) { return byte_of(name, arguments.decimal(name, 0)); };
    const double lane_byte = byte("lane-bandwidth");
    const auto burst = static_cast<double>(arguments.bytes("lane-burst", 0));
    Topology network = topology_of(arguments);
    if (network.kind != Topology::Kind::flat && lane_byte == 0)
        throw Misunderstood("--topology: lanes need a bandwidth, too, to have links between them");
    if (const auto places =
            std::accumulate(network.shape.begin(), network.shape.end(), 1, std::multiplies<>());
        network.kind == Topology::Kind::torus && places < nodes)
        throw Misunderstood("a torus of " + arguments.text("shape") + " has " +
                            std::to_string(places) + " nodes, which are fewer than " +
                            std::to_string(nodes));
    if (const std::int64_t links = links_of(network, nodes); links > most_links)
        throw Misunderstood("--topology: " + std::to_string(links) + " links are more than " +
                            std::to_string(most_links));
    if (network.kind != Topology::Kind::flat && burst > 0)
        throw Misunderstood("--lane-burst: only where there is no --topology");
    const std::int64_t eager = arguments.bytes("eager", INT64_MAX);
    const NetworkLanes lanes = lanes_of(arguments);
    if (network.kind != Topology::Kind::flat && !lanes.weights.empty())
        throw Misunderstood("--lane-weights: only where there is no --topology");
    return {.lanes = lanes.number,
            .lane_byte = lane_byte,
            .slower = slowness(lanes, nodes),
            .lane_latency = time("lane-latency"),
            .lane_message = time("lane-message"),
            .lane_burst = time_of("lane-burst", burst * lane_byte / picoseconds),
            .lane_delays = delays_of(arguments.text("lane-delays", "")),
            .by_receiver = leaves_by == "receiver",
            .fair = sharing == "fair",
            .network = std::move(network),
            .node_byte = byte("node-bandwidth"),
            .node_latency = time("node-latency"),
            .socket_latency = time("socket-latency"),
            .node_copy_byte = byte("node-copy"),
            .node_fragment = arguments.bytes("node-fragment", 0),
            .node_pack_byte = byte("node-pack"),
            .send = time("send"),
            .receive = time("receive"),
            .reduce_byte = byte("reduce"),
            .copy_byte = byte("copy"),
            .pack_byte = byte("pack"),
            .lane_eager = arguments.bytes("lane-eager", eager),
            .lane_handshake = time("lane-handshake"),
            .node_eager = arguments.bytes("node-eager", eager),
            .node_handshake = time("node-handshake")};
}

std::pair<std::int64_t, Machine> cached_of(const Arguments& arguments, Machine machine)
{
    const auto replace = [&](const std::string& name, double& by) {
        if (const double rate = arguments.decimal(name, 0); rate > 0) by = byte_of(name, rate);
    };
    replace("cached-node-bandwidth", machine.node_byte);
    replace("cached-node-copy", machine.node_copy_byte);
    replace("cached-node-pack", machine.node_pack_byte);
    replace("cached-reduce", machine.reduce_byte);
    replace("cached-copy", machine.copy_byte);
    replace("cached-pack", machine.pack_byte);
    return {arguments.bytes("cache-size", 0), std::move(machine)};
}

}  // namespace laneway::simulate
