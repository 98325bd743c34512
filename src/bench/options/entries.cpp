// SPDX-License-Identifier: BSD-3-Clause
#include "bench/options/entries.hpp"

#include <cstddef>
#include <utility>

#include "bench/operations/buffers.hpp"
#include "bench/operations/element_type.hpp"
#include "bench/operations/operation.hpp"
#include "bench/operations/reduction_op.hpp"
#include "bench/probes/probe.hpp"
#include "bench/text/words.hpp"

namespace laneway::bench {
namespace {

using Text = const std::string&;

/// "native#b=1.2": a candidate, and the factor by which it is slowed.
std::pair<std::string, double> delay(Text text)
{
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos)
        throw Misunderstood("--delay: '" + text + "' is no ALGORITHM=FACTOR");
    return {text.substr(0, equals), number("delay", text.substr(equals + 1), 1.0)};
}

std::vector<int> virtual_lanes(Text list)
{
    std::vector<int> numbers;
    for (Text word : split(list)) numbers.push_back(number("virtual-lanes", word, 1));
    if (numbers.empty()) throw Misunderstood("--virtual-lanes: no number given");
    return numbers;
}

bool yes_or_no(const char* option, Text text)
{
    if (text == "yes" || text == "no") return text == "yes";
    throw Misunderstood(std::string("--") + option + ": '" + text + "' is neither yes nor no");
}

std::vector<Entry> what_is_measured()
{
    return {
        {"--collective", "A,B",
         joined(names(operations(), &Operation::collective)) +
             " (default: all); the same as naming them without the option",
         [](Options& o, Text v) { o.collectives = split(v); }},
        {"-a,--algorithm", "X,Y",
         "names from --list, or all (default: all). tuned: as the LANEWAY_ variables choose. "
         "native:NAME is from --list-native, native:* all of these. "
         "X#LABEL takes part under that name beside X",
         [](Options& o, Text v) { o.algorithms = split(v); }},
        {"-n,--count", "N,M",
         "counts as in the MPI call; 2p: twice the number of ranks "
         "(default: 1,1000,100000)",
         [](Options& o, Text v) { o.counts = counts("count", v); }},
        {"-m,--message-size,--msizes-list", "[MIN:][MAX]",
         "bytes of that count instead, by powers of two, to 4M where there is no MAX; 8,64,4K: "
         "these",
         [](Options& o, Text v) { o.counts = sizes("message-size", v); }},
        {"--msglog", "[MIN:][MAX]",
         "0 bytes, and 2^MIN to 2^MAX bytes, to 2^22 where there is no MAX",
         [](Options& o, Text v) { o.counts = log_sizes("msglog", v); }},
        {"-T,--datatype,--type", "NAME",
         joined(element_type_names()) + " (default: int; by sizes, byte where nothing is reduced)",
         [](Options& o, Text v) { o.datatype = v; }},
        {"-O,--op", "NAME", joined(reduction_op_names()) + " (default: sum)",
         [](Options& o, Text v) { o.op = v; }},
        {"-r,--root", "R", "a rank, or rotate (default: 0)",
         [](Options& o, Text v) {
             o.root.reset();
             if (v != "rotate") o.root = number("root", v, 0);
         }},
        {"--in-place", nullptr, "with MPI_IN_PLACE, where there is such a form",
         [](Options& o, Text) { o.in_place = true; }},
        {"--layout", "NAME",
         "layout of vector collectives' blocks, whose mean is count (default: equal). "
         "NAME is equal, ramp or random (from 0 to twice count), or single (all is the last "
         "rank's). "
         "Or it is sparse (one rank in four has some, or each three partners). "
         "Or it is stencil (each pair around each other in a grid). "
         "Or it is file:PATH (counts, a line for each rank)",
         [](Options& o, Text v) { o.layout = block_layout(v); }},
        {"--cold", nullptr, "other buffers in every repetition, none of them in the cache",
         [](Options& o, Text) { o.cold = cache_size(); }},
        {"--off-cache,--off_cache", "MB", "as --cold, with a cache of so many MB; -1: this one's",
         [](Options& o, Text v) {
             const double size = number("off-cache", v, -1.0);
             o.cold = size < 0 ? cache_size() : static_cast<std::size_t>(size * 1e6);
         }},
        {"-t,--threads", "N",
         "threads a rank, each with a communicator and buffers of its own (default: 1)",
         [](Options& o, Text v) { o.threads = number("threads", v, 1); }},
        {"--npmin", "P", "also on the first P ranks, 2P, 4P ... (default: on all only)",
         [](Options& o, Text v) { o.least_ranks = number("npmin", v, 1); }},
        {"--mem", "GB", "memory a process for buffers: what needs more is left out (default: 1)",
         [](Options& o, Text v) { o.memory = number("mem", v, 0.0) * 1e9; }},
        {"-M,--mem-limit", "BYTES", "the same in bytes",
         [](Options& o, Text v) { o.memory = static_cast<double>(bytes("mem-limit", v)); }},
    };
}

std::vector<Entry> how_it_is_timed()
{
    return {
        {"-s,--sync,--proc-sync", "NAME",
         "how ranks start together: barrier (of ours), "
         "library (MPI_Barrier), clock (an agreed moment) (default: barrier)",
         [](Options& o, Text v) { o.sync = sync(v); }},
        {"--arrival", "PATTERN",
         "when ranks arrive: balanced, late:TIME (the last rank: microseconds, or 1ms), "
         "random:TIME (within that) (default: balanced)",
         [](Options& o, Text v) { o.arrival = arrival(v); }},
        {"--time", "TIME",
         "time of each collective and count: seconds, or 10ms, 30s, 2m (default: 1)",
         [](Options& o, Text v) { o.budget.seconds = duration("time", v); }},
        {"-i,--repetitions,--iterations,--iter,--nrep", "R",
         "at most, for each algorithm (default: 1000)",
         [](Options& o, Text v) { o.budget.repetitions = number("repetitions", v, 1); }},
        {"--precision", "P",
         "stop earlier, once the median's confidence interval is no wider "
         "than median (1 - P) to (1 + P), as 0.02 (default: don't)",
         [](Options& o, Text v) { o.budget.precision = number("precision", v, 0.0); }},
        {"--confidence", "C", "of that interval (default: 0.95)",
         [](Options& o, Text v) {
             o.budget.confidence = number("confidence", v, 0.0);
             if (o.budget.confidence >= 1)
                 throw Misunderstood("--confidence: " + v + " is not below 1");
         }},
        {"-x,--warmup,--iter_warmup", "W",
         "untimed repetitions of each before the first block (default: 3 at most, in a twentieth "
         "of the time)",
         [](Options& o, Text v) { o.budget.warmup = number("warmup", v, 0); }},
        {"-I,--inner-repetitions", "N",
         "calls in one repetition, whose time is divided by it "
         "(default: 1; 10 for the probe lane-pattern)",
         [](Options& o, Text v) { o.inner_repetitions = number("inner-repetitions", v, 1); }},
        {"--verify", "yes|no", "check results before they are timed (default: yes)",
         [](Options& o, Text v) { o.verify = yes_or_no("verify", v); }},
        {"-c,--validation", nullptr, "the same as --verify yes",
         [](Options& o, Text) { o.verify = true; }},
        {"--delay", "X=FACTOR", "slow algorithm X down, to see whether that is found",
         [](Options& o, Text v) {
             const auto [candidate, factor] = delay(v);
             o.delays[candidate] = factor;
         }},
        {"--seed", "K", "order of the blocks and random arrivals, together with --run (default: 1)",
         [](Options& o, Text v) { o.seed = number("seed", v, 0U); }},
    };
}

std::vector<Entry> where_rows_go()
{
    return {
        {"--run", "I", "number of this run of mpirun, copied to the rows (default: 1)",
         [](Options& o, Text v) { o.run = number("run", v, 0); }},
        {"-b,--binding", "NAME", "how ranks see the lanes, copied to the rows (default: all)",
         [](Options& o, Text v) { o.binding = v; }},
        {"--placement", "NAME", "how ranks were placed, copied to the rows",
         [](Options& o, Text v) { o.placement = v; }},
        {"--out", "FILE", "where rank 0 writes the rows (default: standard output)",
         [](Options& o, Text v) { o.out = v; }},
        {"-f,--full", nullptr,
         "minimum and maximum over ranks beside the average: they are always there",
         [](Options&, Text) {}},
        {"--plan", "FILE",
         "blocks to be done, one a line: a name, then options; those before "
         "--plan hold for all of them",
         [](Options& o, Text v) { o.plan = v; }},
        {"--more", nullptr,
         "blocks are added to the file of --plan while the job goes on, an empty line behind them; "
         "an empty line alone ends the job",
         [](Options& o, Text) { o.more = true; }},
    };
}

std::vector<Entry> what_else_it_does()
{
    return {
        {"--overhead", nullptr,
         "time that an 8-byte MPI_Bcast and MPI_Allreduce cost more than their "
         "PMPI_ forms; run it under the preload",
         [](Options& o, Text) { o.task = Options::Task::overhead; }},
        {"--requests", nullptr,
         "times of nonblocking and persistent allreduces, by the algorithms of -a and natively, "
         "and how much of the former goes on beside computation",
         [](Options& o, Text) { o.task = Options::Task::requests; }},
        {"--hops", nullptr,
         "how long 4 bytes take from the first rank to the last, while all "
         "others wait in a barrier",
         [](Options& o, Text) { o.task = Options::Task::hops; }},
        {"--start", nullptr, "when the ranks began: the first line of each, and MPI_Init's end",
         [](Options& o, Text) { o.task = Options::Task::start; }},
        {"--probe", "NAME",
         "a pattern of plain MPI calls that shows the machine's lanes: " +
             joined(names(probes(), &Probe::name)) +
             "; needs several nodes with equally many, consecutive ranks",
         [](Options& o, Text v) {
             o.task = Options::Task::probe;
             o.probe = v;
         }},
        {"--virtual-lanes", "K,L",
         "processes of a node that communicate at once "
         "(default: 1,2,4)",
         [](Options& o, Text v) { o.virtual_lanes = virtual_lanes(v); }},
        {"-l,--list", nullptr, "print the registry of algorithms as JSON (needs no mpirun)",
         [](Options& o, Text) { o.task = Options::Task::list; }},
        {"--check", nullptr,
         "only say whether the options make sense, as far as that does not depend on the ranks "
         "(needs no mpirun)",
         [](Options& o, Text) { o.only_check = true; }},
        {"--forces", nullptr, "some block of --plan has native:NAME",
         [](Options& o, Text) { o.forces = true; }},
        {"--list-native", nullptr,
         "print the MPI library's own algorithms, as far as it can be told to use one, an object "
         "a line (needs no mpirun)",
         [](Options& o, Text) { o.task = Options::Task::list_native; }},
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
