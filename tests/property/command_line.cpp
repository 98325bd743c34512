// SPDX-License-Identifier: BSD-3-Clause
#include "command_line.hpp"

#include <map>
#include <vector>

#include "call/communicator/weighing.hpp"
#include "call_form.hpp"
#include "command_line/command_line.hpp"
#include "data/packing.hpp"
#include "node/channel.hpp"
#include "report.hpp"
#include "text/text.hpp"

namespace laneway::property {
namespace {

const std::map<std::string, CallForm> call_forms = {{"blocking", CallForm::blocking},
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

std::vector<Option> options_of(Options& options)
{
    const auto again = [](const std::string& option, const auto& value) {
        reproduce_with(" " + option + " " + value);
    };
    const auto take_form = [again](const std::string& form) {
        if (!call_forms.contains(form))
            throw Misunderstood("--form: " + in_quotes(form) + " is none");
        calling().form = call_forms.at(form);
        again("--form", form);
    };
    const auto pack_at_once = [again](long bytes) {
        packed_at_once = bytes;
        again("--pack-at-once", std::to_string(bytes));
    };
    const auto near_at_most = [again](long bytes) {
        NodeChannel::longest = bytes;
        again("--near-at-most", std::to_string(bytes));
    };
    const auto weigh_piece = [again](long bytes) {
        Weighing::piece = bytes;
        calling().weighs = true;
        Weighing::pretended = [](int node, int lane, int measurement) {
            constexpr int changing = 5;  // measurements of one time
            return 1.0 + (11 * node + 7 * lane + 3 * (measurement / changing)) % 5;
        };
        again("--weigh-piece", std::to_string(bytes));
    };
    return {
        with_number<std::size_t>("--cases", "N",
                                 "so many cases, drawn evenly from all algorithms (default: 1000)",
                                 [&options](std::size_t cases) { options.cases = cases; }),
        {"--all", {}, "every case", [&options](const std::string&) { options.cases.reset(); }},
        with_number("--seed", "N", "of the draw (default: 1)", options.seed),
        with_word("--collective", "NAME", "only this collective", options.collective),
        with_word("--algorithm", "NAME", "only this algorithm", options.algorithm),
        with_word("--case", "NAME", "only this case", options.id),
        {"--form", "NAME", "of calls: blocking (unless set), nonblocking or persistent", take_form},
        with_number<long>("--pack-at-once", "BYTES", "gives MPI_Pack no more bytes at once",
                          pack_at_once),
        with_number<long>("--near-at-most", "BYTES",
                          "leaves longer messages within a node to the MPI library", near_at_most),
        with_number<long>("--weigh-piece", "BYTES",
                          "measures lanes by pieces of so many bytes, and takes them for ever "
                          "changing (with LANEWAY_LANE_WEIGHTS=auto)",
                          weigh_piece),
        with_number("--timeout", "SECONDS", "after which a case hangs (default: 120)",
                    options.timeout),
        flag("--with-wrong", "registers deliberately wrong algorithms, too", options.with_wrong),
        flag("--list", "prints the cases instead of running them", options.list)};
}

}  // namespace

Options read(int argc, char** argv)
{
    CommandLine line("mpirun -np P laneway-check: property tests of the collectives");
    Options options;
    line.add("Options", options_of(options));
    line.read_or_exit(argc, argv);
    if (!options.id.empty()) take_names(options);
    return options;
}

}  // namespace laneway::property
