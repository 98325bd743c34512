// SPDX-License-Identifier: BSD-3-Clause
#include "bench/option_entries.hpp"

#include "bench/buffers.hpp"
#include "bench/operation.hpp"
#include "bench/option_values.hpp"
#include "bench/probe.hpp"

namespace laneway::bench {
namespace {

template <class Registered>
std::vector<std::string> names(const std::vector<Registered>& all, const char* Registered::* name)
{
    std::vector<std::string> words;
    for (const Registered& each : all) words.emplace_back(each.*name);
    return words;
}

using Text = const std::string&;

std::vector<Entry> what_is_measured()
{
    return {
        {{"collective"},
         0,
         "A,B",
         joined(names(operations(), &Operation::collective)) +
             " (default: all); the same as naming them without the option",
         [](Options& o, Text v) { o.collectives = split(v); }},
        {{"algorithm"},
         'a',
         "X,Y",
         "names from --list, or all (default: all); X#LABEL takes part "
         "under that name beside X",
         [](Options& o, Text v) { o.algorithms = split(v); }},
        {{"count"},
         'n',
         "N,M",
         "counts as in the MPI call; 2p: twice the number of ranks "
         "(default: 1,1000,100000)",
         [](Options& o, Text v) { o.counts = counts("count", v); }},
        {{"message-size", "msizes-list"},
         'm',
         "[MIN:][MAX]",
         "bytes of that count instead, by powers of two, to 4M where there is no MAX; 8,64,4K: "
         "these",
         [](Options& o, Text v) { o.counts = sizes("message-size", v); }},
        {{"msglog"},
         0,
         "[MIN:][MAX]",
         "0 bytes, and 2^MIN to 2^MAX bytes, to 2^22 where there is no MAX",
         [](Options& o, Text v) { o.counts = log_sizes("msglog", v); }},
        {{"datatype", "type"},
         'T',
         "NAME",
         joined(datatype_names()) + " (default: int; by sizes, byte where nothing is reduced)",
         [](Options& o, Text v) { o.datatype = v; }},
        {{"op"},
         'O',
         "NAME",
         joined(op_names()) + " (default: sum)",
         [](Options& o, Text v) { o.op = v; }},
        {{"root"},
         'r',
         "R",
         "a rank, or rotate (default: 0)",
         [](Options& o, Text v) {
             o.root.reset();
             if (v != "rotate") o.root = number("root", v, 0);
         }},
        {{"in-place"},
         0,
         nullptr,
         "with MPI_IN_PLACE, where there is such a form",
         [](Options& o, Text) { o.in_place = true; }},
        {{"layout"},
         0,
         "NAME",
         "of the blocks of vector collectives, of a mean of count: equal, "
         "ramp (from 0 to twice count), single (all is rank 0's) (default: equal)",
         [](Options& o, Text v) { o.layout = layout(v); }},
        {{"cold"},
         0,
         nullptr,
         "other buffers in every repetition, none of them in the cache",
         [](Options& o, Text) { o.cold = cache_size(); }},
        {{"off-cache", "off_cache"},
         0,
         "MB",
         "the same with a cache of so many MB; -1: this one's",
         [](Options& o, Text v) {
             const double size = number("off-cache", v, -1.0);
             o.cold = size < 0 ? cache_size() : static_cast<std::size_t>(size * 1e6);
         }},
        {{"threads"},
         't',
         "N",
         "threads a rank, each with a communicator and buffers of its own (default: 1)",
         [](Options& o, Text v) { o.threads = number("threads", v, 1); }},
        {{"npmin"},
         0,
         "P",
         "also on the first P ranks, 2P, 4P ... (default: on all only)",
         [](Options& o, Text v) { o.least_ranks = number("npmin", v, 1); }},
        {{"mem"},
         0,
         "GB",
         "memory a process for buffers: what needs more is left out (default: 1)",
         [](Options& o, Text v) { o.memory = number("mem", v, 0.0) * 1e9; }},
        {{"mem-limit"},
         'M',
         "BYTES",
         "the same in bytes",
         [](Options& o, Text v) { o.memory = static_cast<double>(bytes("mem-limit", v)); }},
    };
}

std::vector<Entry> how_it_is_timed()
{
    return {
        {{"sync", "proc-sync"},
         's',
         "NAME",
         "what makes ranks start together: barrier (of ours), "
         "library (MPI_Barrier), clock (an agreed moment) (default: barrier)",
         [](Options& o, Text v) { o.sync = sync(v); }},
        {{"arrival"},
         0,
         "PATTERN",
         "when ranks arrive: balanced, late:US (the last rank, in microseconds), "
         "random:US (within so many) (default: balanced)",
         [](Options& o, Text v) { o.arrival = arrival(v); }},
        {{"time"},
         0,
         "S",
         "seconds for each collective and count (default: 1)",
         [](Options& o, Text v) { o.seconds = number("time", v, 0.0); }},
        {{"repetitions", "iterations", "iter", "nrep"},
         'i',
         "R",
         "at most, for each algorithm (default: 1000)",
         [](Options& o, Text v) { o.repetitions = number("repetitions", v, 1); }},
        {{"precision"},
         0,
         "P",
         "stop earlier, once the median's confidence interval is no wider "
         "than median (1 - P) to (1 + P), as 0.02 (default: don't)",
         [](Options& o, Text v) { o.precision = number("precision", v, 0.0); }},
        {{"confidence"},
         0,
         "C",
         "of that interval (default: 0.95)",
         [](Options& o, Text v) {
             o.confidence = number("confidence", v, 0.0);
             if (o.confidence >= 1) throw UsageError("--confidence: " + v + " is not below 1");
         }},
        {{"warmup", "iter_warmup"},
         'x',
         "W",
         "untimed repetitions of each before the first block (default: 3 at most, in a twentieth "
         "of the time)",
         [](Options& o, Text v) { o.warmup = number("warmup", v, 0); }},
        {{"inner-repetitions"},
         'I',
         "N",
         "calls in one repetition, whose time is divided by it "
         "(default: 1; 10 for the probe lane-pattern)",
         [](Options& o, Text v) { o.inner_repetitions = number("inner-repetitions", v, 1); }},
        {{"verify"},
         0,
         "yes|no",
         "check results before they are timed (default: yes)",
         [](Options& o, Text v) { o.verify = yes_or_no("verify", v); }},
        {{"validation"},
         'c',
         nullptr,
         "the same as --verify yes",
         [](Options& o, Text) { o.verify = true; }},
        {{"delay"},
         0,
         "X=FACTOR",
         "slow algorithm X down, to see whether that is found",
         [](Options& o, Text v) {
             const auto [contestant, factor] = delay(v);
             o.delays[contestant] = factor;
         }},
        {{"seed"},
         0,
         "K",
         "order of the blocks and random arrivals, together with --run (default: 1)",
         [](Options& o, Text v) { o.seed = number("seed", v, 0U); }},
    };
}

std::vector<Entry> where_rows_go()
{
    return {
        {{"run"},
         0,
         "I",
         "number of this run of mpirun, copied to the rows (default: 1)",
         [](Options& o, Text v) { o.run = number("run", v, 0); }},
        {{"binding"},
         'b',
         "NAME",
         "how ranks see the lanes, copied to the rows (default: all)",
         [](Options& o, Text v) { o.binding = v; }},
        {{"placement"},
         0,
         "NAME",
         "how ranks were placed, copied to the rows",
         [](Options& o, Text v) { o.placement = v; }},
        {{"out"},
         0,
         "FILE",
         "where rank 0 writes the rows (default: standard output)",
         [](Options& o, Text v) { o.out = v; }},
        {{"full"},
         'f',
         nullptr,
         "minimum and maximum over ranks beside the average: they are always there",
         [](Options&, Text) {}},
        {{"plan"},
         0,
         "FILE",
         "blocks to be done, one a line: a name, then options; those before "
         "--plan hold for all of them",
         [](Options& o, Text v) { o.plan = v; }},
    };
}

std::vector<Entry> what_else_it_does()
{
    using enum Options::Task;
    return {
        {{"overhead"},
         0,
         nullptr,
         "what an 8-byte MPI_Bcast and MPI_Allreduce cost more than their "
         "PMPI_ forms; run it under the preload",
         [](Options& o, Text) { o.task = Options::Task::overhead; }},
        {{"hops"},
         0,
         nullptr,
         "how long 4 bytes take from the first rank to the last, while all "
         "others wait in a barrier",
         [](Options& o, Text) { o.task = Options::Task::hops; }},
        {{"start"},
         0,
         nullptr,
         "when the ranks began: the first line of each, and MPI_Init's end",
         [](Options& o, Text) { o.task = Options::Task::start; }},
        {{"probe"},
         0,
         "NAME",
         "a pattern of plain MPI calls that shows the machine's lanes: " +
             joined(names(probes(), &Probe::name)) +
             "; needs several nodes with equally many, consecutive ranks",
         [](Options& o, Text v) {
             o.task = Options::Task::probe;
             o.probe = v;
         }},
        {{"virtual-lanes"},
         0,
         "K,L",
         "processes of a node that communicate at once "
         "(default: 1,2,4)",
         [](Options& o, Text v) { o.virtual_lanes = numbers("virtual-lanes", v, 1); }},
        {{"list"},
         'l',
         nullptr,
         "print the registry of algorithms as JSON (needs no mpirun)",
         [](Options& o, Text) { o.task = Options::Task::list; }},
        {{"help"},
         'h',
         nullptr,
         "this text",
         [](Options& o, Text) { o.task = Options::Task::help; }},
    };
}

}  // namespace

const std::vector<Group>& groups()
{
    static const std::vector<Group> all = {{"What is measured", what_is_measured()},
                                           {"How it is timed", how_it_is_timed()},
                                           {"Rows", where_rows_go()},
                                           {"Instead", what_else_it_does()}};
    return all;
}

}  // namespace laneway::bench
