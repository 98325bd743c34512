// SPDX-License-Identifier: BSD-3-Clause
#include "command_line.hpp"

#include <cli11/CLI11.hpp>
#include <cstdlib>
#include <map>

#include "call/communicator/weighing.hpp"
#include "call_form.hpp"
#include "data/packing.hpp"
#include "node/channel.hpp"
#include "report.hpp"

namespace laneway::property {
namespace {

const std::map<std::string, CallForm> forms = {{"blocking", CallForm::blocking},
                                               {"nonblocking", CallForm::nonblocking},
                                               {"persistent", CallForm::persistent}};

/// Takes the names that a case begins with: bcast/lane/...
void take_names(Options& options)
{
    options.cases.reset();
    const std::size_t first = options.id.find('/');
    const std::size_t second = options.id.find('/', first + 1);
    if (second == std::string::npos) return;
    options.collective = options.id.substr(0, first);
    options.algorithm = options.id.substr(first + 1, second - first - 1);
}

void add_options(CLI::App& app, Options& options)
{
    app.add_option("--cases", options.cases, "so many cases, drawn evenly from all algorithms")
        ->default_str("1000");
    app.add_flag_callback("--all", [&] { options.cases.reset(); }, "every case");
    app.add_option("--seed", options.seed, "of the draw")->capture_default_str();
    app.add_option("--collective", options.collective, "only this collective");
    app.add_option("--algorithm", options.algorithm, "only this algorithm");
    app.add_option("--case", options.id, "only this case");
    app.add_option_function<std::string>(
           "--form",
           [](const std::string& form) {
               calling().form = forms.at(form);
               reproduce_with(" --form " + form);
           },
           "of calls: blocking (unless set), nonblocking or persistent")
        ->check(CLI::IsMember(forms));
    app.add_option_function<long>(
        "--pack-at-once",
        [](long bytes) {
            packed_at_once = bytes;
            reproduce_with(" --pack-at-once " + std::to_string(bytes));
        },
        "gives MPI_Pack no more bytes at once");
    app.add_option_function<long>(
        "--near-at-most",
        [](long bytes) {
            NodeChannel::longest = bytes;
            reproduce_with(" --near-at-most " + std::to_string(bytes));
        },
        "leaves longer messages within a node to the MPI library");
    app.add_option_function<long>(
        "--weigh-piece",
        [](long bytes) {
            Weighing::piece = bytes;
            calling().weighs = true;
            Weighing::pretended = [](int lane, int measurement) {
                constexpr int changing = 5;  // measurements of one time
                return 1.0 + (7 * lane + 3 * (measurement / changing)) % 5;
            };
            reproduce_with(" --weigh-piece " + std::to_string(bytes));
        },
        "measures lanes by pieces of so many bytes, and takes them for ever changing (with "
        "LANEWAY_LANE_WEIGHTS=auto)");
    app.add_option("--timeout", options.timeout, "seconds after which a case hangs")
        ->capture_default_str();
    app.add_flag("--with-wrong", options.with_wrong,
                 "registers deliberately wrong algorithms, too");
    app.add_flag("--list", options.list, "prints the cases instead of running them");
}

}  // namespace

Options read(int argc, char** argv)
{
    constexpr int misused = 2;
    CLI::App app("mpirun -np P laneway-check: property tests of the collectives");
    Options options;
    add_options(app, options);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        std::exit(app.exit(error) == EXIT_SUCCESS ? EXIT_SUCCESS : misused);
    }
    if (!options.id.empty()) take_names(options);
    return options;
}

}  // namespace laneway::property
