// SPDX-License-Identifier: BSD-3-Clause
#include "command_line.hpp"

#include <cli11/CLI11.hpp>
#include <cstdlib>
#include <utility>

namespace laneway::in_process {
namespace {

void add_options(CLI::App& app, Options& options, std::pair<int, int>& ranks)
{
    app.add_option("--cases", options.cases, "so many cases");
    app.add_option("--machines", options.machines,
                   "so many machines, every algorithm once on each");
    app.add_flag("--all", options.all, "every case, on every machine");
    app.add_option("--seed", options.seed,
                   "of the draw, and of the order in which a case is carried out");
    app.add_option("--case", options.only, "only this case");
    app.add_option("--ranks", ranks, "machines of so many ranks")->type_name("LEAST MOST");
    app.add_option("--messages", options.messages,
                   "no further case after so many messages; larger cases are left out");
    app.add_option("--collective", options.collective, "only this collective");
    app.add_option("--algorithm", options.algorithm, "only this algorithm");
    app.add_flag("--with-wrong", options.with_wrong, "deliberately wrong algorithms, too");
    app.add_flag("--brackets", options.brackets,
                 "only in which order and brackets the reproducible mode reduces, or the algorithm "
                 "that is named");
    app.add_flag(
        "--whole", options.whole,
        "only reductions: whether those that claim it call operators with whole messages, and, "
        "of --all, the others do not");
    app.add_flag("--types", options.types,
                 "no cases: whether datatypes are understood as the MPI library does");
}

}  // namespace

Options read(int argc, char** argv)
{
    constexpr int misused = 2;
    CLI::App app("laneway-prove: property tests of the algorithms without mpirun");
    app.option_defaults()->always_capture_default();
    Options options;
    std::pair ranks(options.least, options.most);
    add_options(app, options, ranks);
    try {
        app.parse(argc, argv);
        std::tie(options.least, options.most) = ranks;
        if (options.least < 1 || options.most < options.least)
            throw CLI::ValidationError("--ranks", "from 1 on, the least before the most");
    } catch (const CLI::ParseError& error) {
        std::exit(app.exit(error) == EXIT_SUCCESS ? EXIT_SUCCESS : misused);
    }
    return options;
}

}  // namespace laneway::in_process
