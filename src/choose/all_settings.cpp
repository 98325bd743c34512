// SPDX-License-Identifier: BSD-3-Clause
// The table from which parsing, the list in include/laneway.h and docs/settings.md follow.
#include <charconv>

#include "choose/lane_weights.hpp"
#include "choose/setting.hpp"
#include "choose/settings.hpp"
#include "text/text.hpp"

namespace laneway {
namespace {

int at_least(int least, std::string_view variable, std::string_view value)
{
    int number = 0;
    const auto [end, failed] = std::from_chars(value.begin(), value.end(), number);
    if (failed != std::errc{} || end != value.end() || number < least)
        throw Misunderstood(std::string(variable) + ": " + in_quotes(value) +
                            " is no number of at least " + std::to_string(least));
    return number;
}

/// Whether it is `yes`; else it must be `no`.
bool is_first(std::string_view yes, std::string_view no, std::string_view variable,
              std::string_view value)
{
    if (value != yes && value != no)
        throw Misunderstood(std::string(variable) + ": " + in_quotes(value) + " is neither '" +
                            std::string(yes) + "' nor '" + std::string(no) + "'");
    return value == yes;
}

/// @name Readers of rows, by the member that a value goes to
/// @{
template <auto Member>
void read_flag(Settings& into, std::string_view name, std::string_view value)
{
    into.*Member = is_first("1", "0", name, value);
}
template <auto Member, int Least>
void read_number(Settings& into, std::string_view name, std::string_view value)
{
    into.*Member = at_least(Least, name, value);
}
/// @}

}  // namespace

std::span<const Setting> all_settings()
{
    using enum Setting::Place;
    static constexpr Setting rows[] = {
        {"LANEWAY_STRICT", "strict", before_profiles, false, read_flag<&Settings::strict_>,
         "`1`: the job stops at settings that cannot be understood. Without it, such a job is "
         "served natively, with a message."},
        {"LANEWAY_REPRODUCIBLE", "reproducible", before_profiles, false,
         read_flag<&Settings::reproducible_>,
         "`1`: reductions give the same to the last bit for the same operands on as many "
         "processes. Machine, lanes, root and the pieces of a message do not matter "
         "(docs/reproducible.md). The mode goes before all that profiles and LANEWAY_ALGORITHM "
         "say of reductions. A call that names its algorithm gets this one."},
        {"LANEWAY", "switch", before_profiles, false,
         [](Settings& into, std::string_view name, std::string_view value) {
             into.off_ = !is_first("on", "off", name, value);
         },
         "`off`: everything is served natively."},
        {"LANEWAY_REPORT", "report", before_profiles, true,
         [](Settings& into, std::string_view, std::string_view) { into.reports_ = true; },
         "A report of which algorithm served which calls, and why (docs/decisions.md). `1`: a "
         "table of rank 0 at the end. Otherwise it is a folder for a file of each process."},
        {"LANEWAY_ADVISE", "advise", before_profiles, true,
         [](Settings& into, std::string_view, std::string_view) {
             into.advises_ = into.off_ = true;
         },
         "`1`: everything is served natively, and timed for the report."},
        {"LANEWAY_PROFILE", nullptr, elsewhere, false, nullptr,
         "Profiles, separated by colons: files of rules that choose algorithms by collective, "
         "shape and bytes (docs/profiles.md). Later ones win."},
        {"LANEWAY_PROFILE_DIR", nullptr, elsewhere, false, nullptr,
         "The folder whose *.conf are read before these, in place of etc/laneway of the "
         "installation, ~/.config/laneway and its folders predicted and learned "
         "(XDG_CONFIG_HOME). "
         "If it is set and empty, no folder is read."},
        {"LANEWAY_DEFAULT", nullptr, elsewhere, false, nullptr,
         "`off`: the profiles that Laneway brings (share/laneway/profiles), predicted and learnt "
         "ones (~/.config/laneway/predicted, learned) are not read. Otherwise they are read "
         "first. Laneway's own are read only where a node has 2 lanes or more, or one machine has "
         "a core for each process of the job."},
        {
            nullptr,
            "found_lanes",
            elsewhere,
            false,
            [](Settings& into, std::string_view, std::string_view value) {
                into.found_lanes_ = at_least(1, "found lanes", value);
            },
            nullptr,
        },
        {nullptr, "library", elsewhere, false,
         [](Settings& into, std::string_view, std::string_view value) {
             into.headers_.set_library(value);
         },
         ""},
        {nullptr, "built_in", elsewhere, false,
         [](Settings& into, std::string_view, std::string_view value) {
             into.add_unwritten(file_of(value.substr(0, value.find('\t'))));
             into.read_line_of_profile(value);
         },
         ""},
        {nullptr, "profile", elsewhere, false,
         [](Settings& into, std::string_view, std::string_view value) {
             into.read_line_of_profile(value);
         },
         ""},
        {nullptr, "unreadable", elsewhere, false,
         [](Settings& into, std::string_view, std::string_view value) {
             into.damage_.emplace_back(value);
         },
         ""},
        {"LANEWAY_ALGORITHM", "algorithm", after_profiles, false,
         [](Settings& into, std::string_view name, std::string_view value) {
             try {
                 into.rules_.add_list(value, algorithm_variable);
                 into.is_experiment_ = true;
             } catch (const Misunderstood& why) {
                 throw Misunderstood(std::string(name) + ": " + why.what());
             }
         },
         "Algorithms by collective, `bcast=lane,allreduce=hierarchical`, with tunables "
         "`bcast=chain(segment=32K)`; goes before all profiles. A component is a collective "
         "that an algorithm itself calls on the processes of a node or of a lane. It is named "
         "with `@node` or `@lane`: `bcast@lane=hierarchical`."},
        {"LANEWAY_LEARN", "learn", after_profiles, false,
         [](Settings& into, std::string_view name, std::string_view value) {
             if (value == "0") return;
             into.learns_reductions_ = value != "data";
             into.learns_ = value == "data" || is_first("1", "0", name, value);
         },
         "`1`: while the program runs, algorithms take turns in its calls, and the fastest serves "
         "(docs/learning.md). `data`: in collectives that move data alone, so that no sum is "
         "rounded otherwise. Rules that somebody has measured or written go before it."},
        {"LANEWAY_DIVIDE_OPERATORS", "divide_operators", after_profiles, false,
         read_flag<&Settings::divides_operators_>,
         "`1`: operators of the program's (MPI_Op_create) may be called with parts of a "
         "message by whichever algorithm is chosen. Without it, an operator that does not "
         "commute always gets whole messages, as MPI libraries mostly give it. One that "
         "commutes does, too, unless LANEWAY_ALGORITHM or the call names an algorithm that "
         "divides messages (docs/interposition.md, docs/algorithms.md)."},
        {"LANEWAY_PATIENCE", "patience", after_profiles, false,
         read_number<&Settings::patience_, 0>,
         "So many of a communicator's first calls are left to the library. Calls of 1 MiB or "
         "more are not, nor are those that name their algorithm. 20 unless it is set; 0 on "
         "MPI_COMM_WORLD, and where LANEWAY_ALGORITHM or LANEWAY_REPRODUCIBLE is set."},
        {"LANEWAY_LANES", "lanes", after_profiles, false,
         [](Settings& into, std::string_view name, std::string_view value) {
             const int lanes = at_least(1, name, value);
             if (!into.lanes_ || into.lanes_->number != lanes) into.lanes_ = lanes;
             into.lanes_are_said_ = true;
         },
         "Network lanes of a node. They matter where nodes differ in size: a node with fewer "
         "processes than lanes has each serve several lanes. Without it, a profile's `lanes 2` "
         "counts. Otherwise the lanes count that are found (docs/profiles.md). These are an "
         "emulated cluster's, devices of InfiniBand, Omni-Path, RoCE or Slingshot, or the "
         "Ethernet devices by which the MPI library sends. Otherwise there is 1."},
        {"LANEWAY_BINDING", "binding", after_profiles, false,
         [](Settings& into, std::string_view name, std::string_view value) {
             const std::optional<Binding> known = binding_named(value);
             if (!known)
                 throw Misunderstood(std::string(name) + ": " + in_quotes(value) +
                                     " is none of 'lane', 'all' and 'one'");
             into.binding_ = *known;
         },
         "How the processes of a job share the lanes of their node, for rules that ask "
         "(`binding=lane`). By `lane`, each has its own; by `all`, each has all; by `one`, all "
         "have the same one. Without it, an emulated cluster says so. Otherwise the variables "
         "count that "
         "restrict a process to network devices, by whether they differ between processes "
         "(docs/profiles.md)."},
        {nullptr, "found_binding", elsewhere, false,
         [](Settings& into, std::string_view, std::string_view value) {
             into.binding_ = binding_named(value).value_or(Binding::unknown);
         },
         ""},
        {"LANEWAY_CORES", "cores", after_profiles, false,
         [](Settings& into, std::string_view name, std::string_view value) {
             const std::optional<Cores> known = cores_named(value);
             if (!known)
                 throw Misunderstood(std::string(name) + ": " + in_quotes(value) +
                                     " is neither 'each' nor 'shared'");
             into.cores_ = *known;
         },
         "Whether each process has a core of its own (`each`), or processes of a node share cores "
         "(`shared`), for rules that ask (`cores=each`). Without it, the processors count to which "
         "processes are bound, and the number of processes on each node that the launcher says "
         "(docs/profiles.md)."},
        {nullptr, "found_cores", elsewhere, false,
         [](Settings& into, std::string_view, std::string_view) { into.has_cores_here_ = true; },
         ""},
        {"LANEWAY_LANE_WEIGHTS", "lane_weights", after_profiles, false,
         [](Settings& into, std::string_view name, std::string_view value) {
             into.finds_weights_ = value == "auto";
             if (into.finds_weights_) return;
             try {
                 const int said = into.lanes_are_said_ ? into.lanes_->number : 0;
                 into.lanes_ = weighted_lanes(value, said, "LANEWAY_LANES");
             } catch (const Misunderstood& why) {
                 throw Misunderstood(std::string(name) + ": " + why.what());
             }
             into.lanes_are_said_ = true;
         },
         "Weights of the network lanes of a node, in the order of their numbers: what each "
         "carries in the time of the others. `2:1`: the first is twice as fast. Algorithms that "
         "cut data into a share a lane follow them, and `0` takes a lane out. There are as many "
         "lanes as weights. `10:10,node2=10:1`: the lanes of the host node2 have others, on the "
         "same scale (a virtual node has its name, or its number). `auto`: they are found while "
         "the program runs. "
         "Without it, a profile's `lanes 2 weights 2:1` counts, and otherwise lanes are alike "
         "(docs/unequal-lanes.md)."},
        {"LANEWAY_NODE_MESSAGES", "node_messages", after_profiles, false,
         [](Settings& into, std::string_view name, std::string_view value) {
             into.shares_memory_ = is_first("shared", "library", name, value);
         },
         "The way of messages of algorithms between processes of a node. `shared`: memory "
         "that they share, where they have any (docs/node-messages.md). `library`: the MPI "
         "library. Without it `shared`."},
        {"LANEWAY_SOCKET_SIZE", "socket_size", after_profiles, false,
         [](Settings& into, std::string_view name, std::string_view value) {
             into.virtual_nodes_.socket_size = at_least(1, name, value);
         },
         "Virtual sockets: a number n puts n processes on each socket of a node, in the order "
         "of their ranks in MPI_COMM_WORLD. Processes of a node that laneway_set_node made are "
         "taken to follow each other there. Without it, a process is on the socket of all "
         "processors that it may run on. Where these are on several sockets, or that cannot be "
         "told, it is on the socket numbered 0. Sockets matter to algorithms that go socket "
         "after socket (their tunable `order=2`)."},
        {"LANEWAY_NODE_SIZE", "node_size", elsewhere, false,
         [](Settings& into, std::string_view name, std::string_view value) {
             into.virtual_nodes_.size = at_least(1, name, value);
         },
         "Virtual nodes: a number n puts n processes, consecutive in MPI_COMM_WORLD, on each "
         "node. Otherwise it is the path of a map file: one line a process of MPI_COMM_WORLD, "
         "in rank order, with the name of its node. `#` begins a comment. Processes past the "
         "end of the file lie on their physical nodes."},
        {
            nullptr,
            "node",
            elsewhere,
            false,
            [](Settings& into, std::string_view, std::string_view value) {
                into.virtual_nodes_.map.emplace_back(value);
            },
            nullptr,
        },
    };
    return rows;
}

}  // namespace laneway
