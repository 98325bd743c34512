// SPDX-License-Identifier: BSD-3-Clause
#include "command_line.hpp"

#include <climits>
#include <string>
#include <string_view>
#include <vector>

#include "command_line/command_line.hpp"
#include "text/text.hpp"

namespace laneway::in_process {
namespace {

std::vector<Option> options_of(Options& options)
{
    const auto keep_ranks = [&options](const std::string& both) {
        std::string_view rest = both;
        const auto take = [&] {
            return static_cast<int>(
                number_for("--ranks", std::string(next(rest, ' ')), 1, INT_MAX));
        };
        options.least = take();
        options.most = take();
        if (options.most < options.least)
            throw Misunderstood("--ranks: from 1 on, the least before the most");
    };
    return {
        with_number("--cases", "N", "so many cases (default: 1000)", options.cases),
        with_number("--machines", "N", "so many machines, every algorithm once on each",
                    options.machines),
        flag("--all", "every case, on every machine", options.all),
        with_number("--seed", "N", "of the draw, and of the order in which a case is carried out",
                    options.seed),
        with_number<long>("--case", "N", "only this case",
                          [&options](long number) { options.only = number; }),
        {"--ranks", "LEAST MOST", "machines of so many ranks (default: 1 17)", keep_ranks},
        with_number("--messages", "N",
                    "no further case after so many messages; larger cases are left out",
                    options.messages),
        with_word("--collective", "NAME", "only this collective", options.collective),
        with_word("--algorithm", "NAME", "only this algorithm", options.algorithm),
        flag("--with-wrong", "deliberately wrong algorithms, too", options.with_wrong),
        flag("--brackets",
             "only in which order and brackets the reproducible mode reduces, or the algorithm "
             "that is named",
             options.brackets),
        flag("--whole",
             "only reductions: whether those that claim it call operators with whole messages, "
             "and, of --all, the others do not",
             options.whole),
        flag("--types", "no cases: whether datatypes are understood as the MPI library does",
             options.types)};
}

}  // namespace

Options read(int argc, char** argv)
{
    CommandLine line("laneway-prove: property tests of the algorithms without mpirun");
    Options options;
    line.add("Options", options_of(options));
    line.read_or_exit(argc, argv);
    return options;
}

}  // namespace laneway::in_process
