// SPDX-License-Identifier: BSD-3-Clause
#include "bench/options.hpp"

#include <getopt.h>

#include <charconv>
#include <string_view>
#include <system_error>

#include "bench/operation.hpp"
#include "bench/probe.hpp"
#include "bench/types.hpp"

namespace laneway::bench {
namespace {

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

template <class Number>
Number number(std::string_view option, std::string_view text, Number least)
{
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !(value >= least))
        throw UsageError("--" + std::string(option) + ": '" + std::string(text) +
                         "' is no number from " + std::to_string(least) + " up");
    return value;
}

std::vector<int> numbers(std::string_view option, std::string_view list, int least)
{
    std::vector<int> values;
    for (const std::string& word : split(list)) values.push_back(number(option, word, least));
    if (values.empty()) throw UsageError("--" + std::string(option) + ": no number given");
    return values;
}

/// A list of words for the help text.
std::string joined(const std::vector<std::string>& words)
{
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

constexpr option table[] = {
    {"collective", required_argument, nullptr, 'c'},
    {"algorithm", required_argument, nullptr, 'a'},
    {"count", required_argument, nullptr, 'n'},
    {"datatype", required_argument, nullptr, 'd'},
    {"op", required_argument, nullptr, 'o'},
    {"root", required_argument, nullptr, 'r'},
    {"time", required_argument, nullptr, 't'},
    {"repetitions", required_argument, nullptr, 'R'},
    {"warmup", required_argument, nullptr, 'W'},
    {"seed", required_argument, nullptr, 's'},
    {"run", required_argument, nullptr, 'i'},
    {"binding", required_argument, nullptr, 'b'},
    {"out", required_argument, nullptr, 'f'},
    {"probe", required_argument, nullptr, 'P'},
    {"virtual-lanes", required_argument, nullptr, 'k'},
    {"inner-repetitions", required_argument, nullptr, 'I'},
    {"overhead", no_argument, nullptr, 'p'},
    {"list", no_argument, nullptr, 'l'},
    {"help", no_argument, nullptr, 'h'},
    {nullptr, 0, nullptr, 0},
};

}  // namespace

Options parse(int argc, char** argv)
{
    Options options;
    opterr = 0;  // Every rank would print: the caller says it once.
    optind = 1;
    for (int key; (key = getopt_long(argc, argv, ":h", table, nullptr)) != -1;) {
        const std::string value = optarg != nullptr ? optarg : "";
        switch (key) {
        case 'c':
            options.collectives = split(value);
            break;
        case 'a':
            options.algorithms = split(value);
            break;
        case 'n':
            options.counts = numbers("count", value, 0);
            break;
        case 'd':
            options.datatype = value;
            break;
        case 'o':
            options.op = value;
            break;
        case 'r':
            options.root.reset();
            if (value != "rotate") options.root = number("root", value, 0);
            break;
        case 't':
            options.seconds = number("time", value, 0.0);
            break;
        case 'R':
            options.repetitions = number("repetitions", value, 1);
            break;
        case 'W':
            options.warmup = number("warmup", value, 0);
            break;
        case 's':
            options.seed = number("seed", value, 0U);
            break;
        case 'i':
            options.run = number("run", value, 0);
            break;
        case 'b':
            options.binding = value;
            break;
        case 'f':
            options.out = value;
            break;
        case 'P':
            options.task = Options::Task::probe;
            options.probe = value;
            break;
        case 'k':
            options.virtual_lanes = numbers("virtual-lanes", value, 1);
            break;
        case 'I':
            options.inner_repetitions = number("inner-repetitions", value, 1);
            break;
        case 'p':
            options.task = Options::Task::overhead;
            break;
        case 'l':
            options.task = Options::Task::list;
            break;
        case 'h':
            options.task = Options::Task::help;
            return options;
        case ':':
            throw UsageError(std::string(argv[optind - 1]) + " needs a value; see --help");
        default:
            throw UsageError(std::string(argv[optind - 1]) + " is no option; see --help");
        }
    }
    if (optind < argc)
        throw UsageError("'" + std::string(argv[optind]) + "' is no option; see --help");
    if (options.algorithms.empty()) throw UsageError("--algorithm: no algorithm given");
    return options;
}

std::string usage()
{
    std::vector<std::string> collectives;
    for (const Operation& operation : operations()) collectives.emplace_back(operation.collective);
    std::vector<std::string> probe_names;
    for (const Probe& probe : probes()) probe_names.emplace_back(probe.name);
    return "laneway-bench: times the collectives of Laneway, one JSON object a repetition\n"
           "\n"
           "  mpirun -np 8 laneway-bench --collective bcast --count 1000,100000\n"
           "\n"
           "Every rank calls the collective on MPI_COMM_WORLD. A repetition starts with a barrier "
           "of\n"
           "the benchmark's own and takes the time of its slowest rank. The algorithms of one\n"
           "collective and count take turns, in blocks of a few repetitions and in shuffled "
           "order.\n"
           "Each is first checked against the native result; a wrong one is an error row and not\n"
           "timed. One that is 3 times slower than the best after a few blocks is dropped.\n"
           "\n"
           "  --collective A,B     " +
           joined(collectives) +
           " (default: all)\n"
           "  --algorithm X,Y      names from --list, or all (default: all)\n"
           "  --count N,M          counts as in the MPI call (default: 1,1000,100000)\n"
           "  --datatype NAME      " +
           joined(datatype_names()) +
           " (default: int)\n"
           "  --op NAME            " +
           joined(op_names()) +
           " (default: sum)\n"
           "  --root R             a rank, or rotate (default: 0)\n"
           "  --time S             seconds for each collective and count (default: 1)\n"
           "  --repetitions R      at most, for each algorithm (default: 1000)\n"
           "  --warmup W           untimed repetitions before the first block (default: 3)\n"
           "  --seed K             order of the blocks, together with --run (default: 1)\n"
           "  --run I              number of this run of mpirun, copied to the rows (default: 1)\n"
           "  --binding NAME       how ranks see the lanes, copied to the rows (default: all)\n"
           "  --out FILE           where rank 0 writes the rows (default: standard output)\n"
           "  --overhead           instead: what an 8-byte MPI_Bcast and MPI_Allreduce cost more "
           "than\n"
           "                       their PMPI_ forms; run it under the preload\n"
           "  --probe NAME         instead: a pattern of plain MPI calls that shows the machine's "
           "lanes:\n"
           "                       " +
           joined(probe_names) +
           ";\n"
           "                       needs several nodes with equally many, consecutive ranks\n"
           "  --virtual-lanes K,L  processes of a node that communicate at once (default: 1,2,4)\n"
           "  --inner-repetitions I  exchanges in one repetition (default: 10 for lane-pattern, "
           "else "
           "1)\n"
           "  --list               print the registry of algorithms as JSON (needs no mpirun)\n"
           "  --help               this text\n"
           "\n"
           "Virtual nodes and lanes: LANEWAY_NODE_SIZE and LANEWAY_LANES, see laneway.h.\n"
           "Exit code: 0; 1 where a result was wrong; 2 for a bad command line.\n";
}

}  // namespace laneway::bench
