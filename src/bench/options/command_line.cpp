// SPDX-License-Identifier: BSD-3-Clause
#include "bench/options/command_line.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "bench/options/entries.hpp"
#include "bench/options/long_options.hpp"
#include "bench/text/words.hpp"
#include "command_line/command_line.hpp"
#include "text/text.hpp"

namespace laneway::bench {
namespace {

constexpr const char* about =
    "laneway-bench: times collectives and other operations, one JSON object a repetition\n"
    "\n"
    "  mpirun -np 8 laneway-bench bcast --count 1000,100000\n"
    "  mpirun -np 2 laneway-bench pingpong -m 0:4M -i 1000 -x 100\n"
    "\n"
    "Ranks start a repetition together; its time is that of the slowest rank. The algorithms of\n"
    "one collective and count take turns, in blocks of a few repetitions and in shuffled order.\n"
    "Each result is first checked; a wrong one is an error row and not timed. An algorithm that\n"
    "is 3 times slower than the best after a few blocks is dropped. Names that OSU's and IMB's\n"
    "benchmarks use are understood, also with one dash (-msglog, -npmin, -off_cache, -iter).\n"
    "\n"
    "Usage: laneway-bench [OPERATION]... [OPTION]...";

constexpr const char* closing =
    "Virtual nodes and lanes: LANEWAY_NODE_SIZE and LANEWAY_LANES, see laneway.h.\n"
    "Exit code: 0; 1 where a result was wrong; 2 for a bad command line.";

/// The words that are no options name operations, in place of those `before`.
void name_operations(Options& options, const std::vector<std::string>& operations,
                     const std::vector<std::string>& before)
{
    if (!operations.empty() && options.collectives != before)
        throw Misunderstood("'" + operations.front() +
                            "': operations are named by --collective already");
    const bool starts = std::ranges::find(operations, "start") != operations.end();
    if (starts && operations.size() > 1)
        throw Misunderstood("'start' is measured for itself, without other operations");
    if (starts)
        options.task = Options::Task::start;
    else if (!operations.empty())
        options.collectives = operations;
    // The name `all` works as if none had been given.
    const auto named_all = std::ranges::count(options.collectives, "all");
    if (named_all == 0) return;
    if (named_all != std::ssize(options.collectives))
        throw Misunderstood("'all' is all of them: leave the other names out, or it");
    options.collectives.clear();
}

/// All options in full, by which in_full() knows them.
std::vector<LongOption> long_options()
{
    std::vector<LongOption> all{{{"help"}, false}};
    for (const Group& group : groups())
        for (const Entry& entry : group.entries) {
            LongOption& option = all.emplace_back(LongOption{{}, entry.value != nullptr});
            std::string_view names = entry.names;
            while (!names.empty())
                if (const std::string_view name = next(names, ','); name.starts_with("--"))
                    option.names.emplace_back(name.substr(2));
        }
    return all;
}

/// All options, which are kept in `options`.
CommandLine command_line(Options& options)
{
    CommandLine made(about, closing);
    for (const Group& group : groups()) {
        std::vector<Option> own;
        for (const Entry& entry : group.entries)
            own.push_back(
                {entry.names, entry.value ? entry.value : "", entry.help,
                 [&options, &entry](const std::string& text) { entry.set(options, text); }});
        made.add(group.title, std::move(own));
    }
    return made;
}

}  // namespace

Options parse(int argc, char** argv)
{
    return parse(Options{}, std::vector<std::string>(argv + 1, argv + argc));
}

Options parse(Options options, const std::vector<std::string>& words)
{
    const std::vector<std::string> before = options.collectives;
    std::vector<std::string> operations;
    CommandLine line = command_line(options);
    line.add_words([&](const std::string& word) {
        std::ranges::copy(split(word), std::back_inserter(operations));
    });
    if (!line.read(in_full(words, long_options()))) {
        options.task = Options::Task::help;
        return options;
    }
    name_operations(options, operations, before);
    if (options.algorithms.empty()) throw Misunderstood("--algorithm: no algorithm given");
    return options;
}

std::string usage()
{
    Options presets;
    return command_line(presets).help();
}

}  // namespace laneway::bench
