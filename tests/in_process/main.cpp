// SPDX-License-Identifier: BSD-3-Clause
//
// laneway-prove: property tests of the algorithms without mpirun. Takes cases, each an algorithm on a machine
// of any shape, records what every rank does, carries it out in this process with real data in random order,
// and compares with what the collective must give.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>

#include "cases.hpp"
#include "schedule/recorder.hpp"
#include "types.hpp"
#include "wrong.hpp"

namespace laneway::in_process {
namespace {

constexpr const char* usage =
    "usage: laneway-prove [option]...\n"
    "  --cases N        so many cases (default: 1000)\n"
    "  --machines N     so many machines, every algorithm once on each\n"
    "  --all            every case, on every machine\n"
    "  --seed S         of the draw, and of the order in which a case is carried out (default: 1)\n"
    "  --case I         only case I\n"
    "  --ranks A B      machines of A to B ranks (default: 1 17)\n"
    "  --messages M     no further case after M messages; larger cases are left out\n"
    "  --collective C   only this collective\n"
    "  --algorithm A    only this algorithm\n"
    "  --with-wrong     deliberately wrong algorithms, too\n"
    "  --brackets       only in which order and brackets the reproducible mode reduces, or the\n"
    "                   algorithm that is named\n"
    "  --types          no cases: whether datatypes are understood as the MPI library does\n";

/// Empty where the command line cannot be understood.
std::optional<Options> read(int argc, char** argv)
{
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string_view name = argv[i];
        const auto number = [&] { return i + 1 < argc ? std::strtol(argv[++i], nullptr, 10) : -1; };
        const auto word = [&] { return std::string(i + 1 < argc ? argv[++i] : ""); };
        if (name == "--cases")
            options.cases = number();
        else if (name == "--machines")
            options.machines = number();
        else if (name == "--all")
            options.all = true;
        else if (name == "--seed")
            options.seed = static_cast<std::uint64_t>(number());
        else if (name == "--case")
            options.only = number();
        else if (name == "--ranks") {
            options.least = static_cast<int>(number());
            options.most = static_cast<int>(number());
        } else if (name == "--messages")
            options.messages = number();
        else if (name == "--collective")
            options.collective = word();
        else if (name == "--algorithm")
            options.algorithm = word();
        else if (name == "--with-wrong")
            options.with_wrong = true;
        else if (name == "--brackets")
            options.brackets = true;
        else if (name == "--types")
            options.types = true;
        else
            return std::nullopt;
    }
    if (options.least < 1 || options.most < options.least) return std::nullopt;
    return options;
}

/// The command line that carries out that case alone.
std::string again(const Options& options, long number)
{
    std::string text = "laneway-prove --seed " + std::to_string(options.seed) + " --ranks " +
                       std::to_string(options.least) + " " + std::to_string(options.most);
    if (options.all) text += " --all";
    if (options.brackets) text += " --brackets";
    if (options.machines > 0) text += " --machines " + std::to_string(options.machines);
    if (!options.collective.empty()) text += " --collective " + options.collective;
    if (!options.algorithm.empty()) text += " --algorithm " + options.algorithm;
    if (options.with_wrong) text += " --with-wrong";
    return text + " --case " + std::to_string(number);
}

int prove(const Options& options)
{
    long failed = 0, done = 0, passed = 0, too_large = 0;
    std::int64_t messages = 0;
    Stage stage;
    const std::clock_t began = std::clock();
    for_each_case(options, [&](long number, const Case& now) {
        const Outcome outcome = outcome_of(now, stage, options.messages);
        too_large += outcome.is_too_large;
        messages += outcome.messages;
        done += outcome.messages > 0;
        if (!outcome.fault.empty()) {
            ++failed;
            std::printf("FAILED %s\n  %s\n  again: %s\n", now.id().c_str(), outcome.fault.c_str(),
                        again(options, number).c_str());
        } else if (!outcome.is_too_large) {
            ++passed;
        }
        return messages < options.messages;
    });
    const double cpu = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
    if (too_large > 0)
        std::printf("%ld left out: more than %ld messages\n", too_large, options.messages);
    std::printf("%ld passed, %ld failed; %ld with messages\n", passed, failed, done);
    std::printf("%lld messages, %.2f s of CPU time, %.2f us a message (seed %llu)\n",
                static_cast<long long>(messages), cpu,
                cpu * 1e6 / static_cast<double>(std::max<std::int64_t>(1, messages)),
                static_cast<unsigned long long>(options.seed));
    return failed == 0 && done > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace laneway::in_process

int main(int argc, char** argv)
{
    using namespace laneway::in_process;
    const auto options = read(argc, argv);
    if (!options) {
        std::fputs(usage, stderr);
        return EXIT_FAILURE;
    }
    if (options->with_wrong) laneway::property::register_wrong();
    laneway::Recorder::checks = true;
    MPI_Init(&argc, &argv);
    int status = EXIT_FAILURE;
    try {
        if (options->types)
            status = types_are_as_mpi_packs_them() ? EXIT_SUCCESS : EXIT_FAILURE;
        else
            status = prove(*options);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "laneway-prove: %s\n", error.what());
    }
    MPI_Finalize();
    return status;
}
