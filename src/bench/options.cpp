// SPDX-License-Identifier: BSD-3-Clause
#include "bench/options.hpp"

#include <getopt.h>

#include <algorithm>
#include <functional>
#include <sstream>

#include "bench/buffers.hpp"
#include "bench/probe.hpp"

namespace laneway::bench {
namespace {

/// An option: its names, those of OSU's and IMB's among them, and what it does.
struct Entry {
    std::vector<std::string> names;  ///< The first is the one in messages.
    char letter;                     ///< 0: none.
    const char* value;               ///< What its value is called; null where it takes none.
    std::string help;                ///< Lines; empty for another's second form.
    std::function<void(Options&, const std::string&)> set;
};

std::vector<int> numbers(const std::string& option, const std::string& list, int least)
{
    std::vector<int> values;
    for (const std::string& word : split(list)) values.push_back(number(option, word, least));
    if (values.empty()) throw UsageError("--" + option + ": no number given");
    return values;
}

bool yes_or_no(const std::string& option, const std::string& text)
{
    if (text != "yes" && text != "no")
        throw UsageError("--" + option + ": '" + text + "' is neither yes nor no");
    return text == "yes";
}

/// "native#b=1.2"
void add_delay(Options& options, const std::string& text)
{
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos)
        throw UsageError("--delay: '" + text + "' is no ALGORITHM=FACTOR");
    options.delays[text.substr(0, equals)] = number("delay", text.substr(equals + 1), 1.0);
}

std::string joined(const std::vector<std::string>& words)
{
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

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
         'c',
         "A,B",
         joined(names(operations(), &Operation::collective)) + " (default: all)",
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
         "[MIN:]MAX",
         "bytes of that count instead, by powers of two; 8,64,4K: these",
         [](Options& o, Text v) { o.counts = sizes("message-size", v); }},
        {{"msglog"},
         0,
         "[MIN:]MAX",
         "0 bytes, and 2^MIN to 2^MAX bytes",
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
         "what makes ranks start together: barrier (of ours, by dissemination), "
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
         "untimed repetitions before the first block (default: 3)",
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
        {{"delay"},
         0,
         "X=FACTOR",
         "slow algorithm X down, to see whether that is found",
         [](Options& o, Text v) { add_delay(o, v); }},
        {{"seed"},
         0,
         "K",
         "order of the blocks, together with --run (default: 1)",
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
         'f',
         "FILE",
         "where rank 0 writes the rows (default: standard output)",
         [](Options& o, Text v) { o.out = v; }},
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

struct Group {
    const char* title;
    std::vector<Entry> entries;
};

const std::vector<Group>& groups()
{
    static const std::vector<Group> all = {{"What is measured", what_is_measured()},
                                           {"How it is timed", how_it_is_timed()},
                                           {"Rows", where_rows_go()},
                                           {"Instead", what_else_it_does()}};
    return all;
}

/// The options as getopt_long wants them.
struct Table {
    std::vector<const Entry*> entries;
    std::vector<option> names;
    std::string letters = ":";
};

Table make_table()
{
    Table table;
    for (const Group& group : groups()) {
        for (const Entry& entry : group.entries) {
            const int index = static_cast<int>(table.entries.size());
            const int takes = entry.value != nullptr ? required_argument : no_argument;
            for (const std::string& name : entry.names)
                table.names.push_back({name.c_str(), takes, nullptr, index + 256});
            if (entry.letter != 0)
                table.letters += entry.letter + std::string(takes != no_argument ? ":" : "");
            table.entries.push_back(&entry);
        }
    }
    table.names.push_back({nullptr, 0, nullptr, 0});
    return table;
}

const Table& table()
{
    static const Table all = make_table();
    return all;
}

const Entry* entry_of(int key)
{
    if (key >= 256) return table().entries[static_cast<std::size_t>(key - 256)];
    const auto found = std::ranges::find_if(table().entries,
                                            [&](const Entry* each) { return each->letter == key; });
    return found == table().entries.end() ? nullptr : *found;
}

void require_sense(const Options& options)
{
    if (options.algorithms.empty()) throw UsageError("--algorithm: no algorithm given");
    if (options.counts.empty()) throw UsageError("--count: no number given");
}

void parse_into(Options& options, int argc, char** argv)
{
    opterr = 0;  // Every rank would print: the caller says it once.
    optind = 0;  // From the beginning, of whatever was read before.
    for (int key; (key = getopt_long_only(argc, argv, table().letters.c_str(), table().names.data(),
                                          nullptr)) != -1;) {
        if (key == ':')
            throw UsageError(std::string(argv[optind - 1]) + " needs a value; see --help");
        const Entry* const entry = key == '?' ? nullptr : entry_of(key);
        if (entry == nullptr)
            throw UsageError(std::string(argv[optind - 1]) + " is no option; see --help");
        entry->set(options, optarg != nullptr ? optarg : "");
        if (options.task == Options::Task::help) return;
    }
    if (optind < argc)
        throw UsageError("'" + std::string(argv[optind]) + "' is no option; see --help");
    require_sense(options);
}

/// The words of a text in lines of a width, indented.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width)
{
    std::istringstream words(text);
    std::string lines;
    std::size_t column = width;
    for (std::string word; words >> word; column += word.size() + 1) {
        if (column + word.size() > width) {
            lines += (lines.empty() ? "" : "\n") + std::string(indent, ' ');
            column = indent;
        } else {
            lines += ' ';
        }
        lines += word;
    }
    return lines + "\n";
}

std::string described(const Entry& entry)
{
    constexpr std::size_t column = 28;
    constexpr std::size_t width = 98;
    std::string text = "  ";
    if (entry.letter != 0) text += std::string("-") + entry.letter + ", ";
    text += "--" + entry.names[0];
    if (entry.value != nullptr) text += std::string(" ") + entry.value;
    const std::string help = wrapped(entry.help, column, width);
    if (text.size() + 2 > column) return text + "\n" + help;
    return text + help.substr(text.size());
}

}  // namespace

std::vector<std::string> split(std::string_view list)
{
    std::vector<std::string> words;
    for (std::size_t begin = 0; begin <= list.size();) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        if (end > begin) words.emplace_back(list.substr(begin, end - begin));
        begin = end + 1;
    }
    return words;
}

Options parse(int argc, char** argv)
{
    Options options;
    parse_into(options, argc, argv);
    return options;
}

Options parse(Options options, const std::vector<std::string>& words)
{
    std::vector<std::string> copies = {"laneway-bench"};
    copies.insert(copies.end(), words.begin(), words.end());
    std::vector<char*> pointers;
    for (std::string& word : copies) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    parse_into(options, static_cast<int>(copies.size()), pointers.data());
    return options;
}

std::string usage()
{
    std::string text =
        "laneway-bench: times collectives and other operations, one JSON object a repetition\n"
        "\n"
        "  mpirun -np 8 laneway-bench --collective bcast --count 1000,100000\n"
        "  mpirun -np 2 laneway-bench -c pingpong -m 0:4M -i 1000 -x 100\n"
        "\n"
        "Ranks start a repetition together; its time is that of the slowest rank. The algorithms "
        "of\n"
        "one collective and count take turns, in blocks of a few repetitions and in shuffled "
        "order.\n"
        "Each result is first checked; a wrong one is an error row and not timed. An algorithm "
        "that\n"
        "is 3 times slower than the best after a few blocks is dropped. Names that OSU's and "
        "IMB's\n"
        "benchmarks use are understood, also with one dash (-msglog, -npmin, -off_cache, -iter).\n";
    for (const Group& group : groups()) {
        text += std::string("\n") + group.title + ":\n";
        for (const Entry& entry : group.entries) text += described(entry);
    }
    return text +
           "\n"
           "Virtual nodes and lanes: LANEWAY_NODE_SIZE and LANEWAY_LANES, see laneway.h.\n"
           "Exit code: 0; 1 where a result was wrong; 2 for a bad command line.\n";
}

}  // namespace laneway::bench
