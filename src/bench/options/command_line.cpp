// SPDX-License-Identifier: BSD-3-Clause
#include "bench/options/command_line.hpp"

#include <algorithm>
#include <cli11/CLI11.hpp>
#include <iterator>
#include <regex>
#include <string_view>
#include <utility>

#include "bench/options/entries.hpp"
#include "bench/options/long_options.hpp"
#include "bench/text/words.hpp"

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

/// Reads a command line into `Options`. Where several options say the same, the last one holds.
class CommandLine {
public:
    explicit CommandLine(Options& options) : options_(options)
    {
        app_.add_option_function<std::vector<std::string>>(
                "operation",
                [this](const auto& words) {
                    for (const std::string& word : words)
                        std::ranges::copy(split(word), std::back_inserter(operations_));
                })
            ->group("");
        for (const Group& group : groups()) {
            app_.option_defaults()->group(group.title);
            for (const Entry& entry : group.entries) add(entry);
        }
        // Options take effect where they stand: some undo what others have said.
        for (CLI::Option* option : app_.get_options()) option->trigger_on_parse();
        app_.set_help_flag("-h,--help", "this text");
    }

    void parse(const std::vector<std::string>& words)
    {
        const std::vector<std::string> before = options_.collectives;
        try {
            std::vector<std::string> backwards = in_full(words, long_options());
            std::ranges::reverse(backwards);
            app_.parse(std::move(backwards));
        } catch (const CLI::CallForHelp&) {
            options_.task = Options::Task::help;
            return;
        } catch (const CLI::ExtrasError&) {
            throw Misunderstood("no option '" + app_.remaining().front() +
                                "'; known: " + joined(named_in_full()));
        } catch (const CLI::ArgumentMismatch& error) {
            const std::string text = error.what();
            throw Misunderstood(text.substr(0, text.find(':')) + " needs a value; see --help");
        } catch (const CLI::ParseError& error) {
            throw Misunderstood(error.what());
        }
        name_operations(before);
        if (options_.algorithms.empty()) throw Misunderstood("--algorithm: no algorithm given");
    }

    std::string help()
    {
        app_.usage(about);
        app_.footer(closing);
        const auto format = app_.get_formatter();
        format->column_width(28);
        format->right_column_width(70);
        format->long_option_alignment_ratio(0.22F);
        format->enable_footer_formatting(false);
        // CLI11 leaves blanks at the ends of lines and between groups: they are taken out.
        const std::string lines = std::regex_replace(app_.help(), std::regex(" +\n"), "\n");
        return std::regex_replace(lines, std::regex("\n{3,}"), "\n\n");
    }

private:
    void add(const Entry& entry)
    {
        if (entry.value == nullptr) {
            app_.add_flag_callback(
                entry.names, [this, &entry] { entry.set(options_, ""); }, entry.help);
            return;
        }
        const auto set = [this, &entry](const std::string& text) { entry.set(options_, text); };
        app_.add_option_function<std::string>(entry.names, set, entry.help)->type_name(entry.value);
    }

    std::vector<std::string> named_in_full() const
    {
        std::vector<std::string> names;
        for (const LongOption& option : long_options())
            if (!option.names.empty()) names.push_back("--" + option.names.front());
        return names;
    }

    std::vector<LongOption> long_options() const
    {
        std::vector<LongOption> all;
        for (const CLI::Option* option : app_.get_options())
            all.push_back({option->get_lnames(), option->get_expected_max() > 0});
        return all;
    }

    /// Takes the words that are no options for operations, in place of those `before`.
    void name_operations(const std::vector<std::string>& before)
    {
        if (!operations_.empty() && options_.collectives != before)
            throw Misunderstood("'" + operations_.front() +
                                "': operations are named by --collective already");
        const bool starts = std::ranges::find(operations_, "start") != operations_.end();
        if (starts && operations_.size() > 1)
            throw Misunderstood("'start' is measured for itself, without other operations");
        if (starts)
            options_.task = Options::Task::start;
        else if (!operations_.empty())
            options_.collectives = operations_;
        // The name `all` works as if none had been given.
        const auto named_all = std::ranges::count(options_.collectives, "all");
        if (named_all == 0) return;
        if (named_all != std::ssize(options_.collectives))
            throw Misunderstood("'all' is all of them: leave the other names out, or it");
        options_.collectives.clear();
    }

    Options& options_;
    CLI::App app_;
    std::vector<std::string> operations_;  ///< Words that are no options.
};

}  // namespace

Options parse(int argc, char** argv)
{
    return parse(Options{}, std::vector<std::string>(argv + 1, argv + argc));
}

Options parse(Options options, const std::vector<std::string>& words)
{
    CommandLine(options).parse(words);
    return options;
}

std::string usage()
{
    Options presets;
    return CommandLine(presets).help();
}

}  // namespace laneway::bench
