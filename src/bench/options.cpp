// SPDX-License-Identifier: BSD-3-Clause
#include "bench/options.hpp"

#include <getopt.h>

#include <algorithm>
#include <iterator>
#include <sstream>

#include "bench/option_entries.hpp"

namespace laneway::bench {
namespace {

constexpr int word = 1;  ///< What getopt_long calls what is no option.

/// The options as getopt_long wants them.
struct Table {
    std::vector<const Entry*> entries;
    std::vector<option> names;
    std::string letters = "-:";  ///< Words are handed over where they stand; no message of its own.
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

/// Takes the words that are no options for operations, in place of those `before`.
void name_operations(Options& options, const std::vector<std::string>& before,
                     const std::vector<std::string>& named)
{
    if (named.empty()) return;
    if (options.collectives != before)
        throw UsageError("'" + named.front() + "': operations are named by --collective already");
    const bool starts = std::ranges::find(named, "start") != named.end();
    if (starts && named.size() > 1)
        throw UsageError("'start' is measured for itself, without other operations");
    if (starts)
        options.task = Options::Task::start;
    else
        options.collectives = named;
}

void parse_into(Options& options, int argc, char** argv)
{
    const std::vector<std::string> before = options.collectives;
    std::vector<std::string> named;
    opterr = 0;  // Every rank would print: the caller says it once.
    optind = 0;  // From the beginning, of whatever was read before.
    for (int key; (key = getopt_long_only(argc, argv, table().letters.c_str(), table().names.data(),
                                          nullptr)) != -1;) {
        if (key == word) {
            std::ranges::copy(split(optarg), std::back_inserter(named));
            continue;
        }
        if (key == ':')
            throw UsageError(std::string(argv[optind - 1]) + " needs a value; see --help");
        const Entry* const entry = key == '?' ? nullptr : entry_of(key);
        if (entry == nullptr)
            throw UsageError(std::string(argv[optind - 1]) + " is no option; see --help");
        entry->set(options, optarg != nullptr ? optarg : "");
        if (options.task == Options::Task::help) return;
    }
    for (; optind < argc; ++optind) named.emplace_back(argv[optind]);
    name_operations(options, before, named);
    require_sense(options);
}

/// The words of a text in lines of a width, indented.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width)
{
    std::istringstream words(text);
    std::string lines;
    std::size_t column = width;
    for (std::string next; words >> next; column += next.size() + 1) {
        if (column + next.size() > width) {
            lines += (lines.empty() ? "" : "\n") + std::string(indent, ' ');
            column = indent;
        } else {
            lines += ' ';
        }
        lines += next;
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
        "  mpirun -np 8 laneway-bench bcast --count 1000,100000\n"
        "  mpirun -np 2 laneway-bench pingpong -m 0:4M -i 1000 -x 100\n"
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
