// SPDX-License-Identifier: BSD-3-Clause
//
// laneway-prove: property tests of the algorithms without mpirun. Takes cases, each an algorithm on a machine
// of any shape, and records what every rank does. Carries it out in this process with real data in random order,
// and compares with what the collective must give.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <set>
#include <string>

#include "cases.hpp"
#include "command_line.hpp"
#include "schedule/recorder.hpp"
#include "types.hpp"
#include "wrong.hpp"

namespace laneway::in_process {
namespace {

/// The command line that carries out that case alone.
std::string again(const Options& options, long number)
{
    std::string text = "laneway-prove --seed " + std::to_string(options.seed) + " --ranks " +
                       std::to_string(options.least) + " " + std::to_string(options.most);
    if (options.all) text += " --all";
    if (options.brackets) text += " --brackets";
    if (options.whole) text += " --whole";
    if (options.machines > 0) text += " --machines " + std::to_string(options.machines);
    if (!options.collective.empty()) text += " --collective " + options.collective;
    if (!options.algorithm.empty()) text += " --algorithm " + options.algorithm;
    if (options.with_wrong) text += " --with-wrong";
    return text + " --case " + std::to_string(number);
}

/// The fault of a case whose operator must see the whole message, if the algorithm claims that it does.
std::string fault_in(const Case& now, const Outcome& outcome)
{
    if (!outcome.divides || may_divide(now.collective, now.algorithm)) return outcome.fault;
    return "the operator is called with a part of the message, and the algorithm claims otherwise";
}

/// Algorithms that ask for an operator that may be called with parts, and have not done that.
long needless(const Options& options, const std::set<Names>& divided)
{
    long found = 0;
    for (const auto& names : algorithms_of(options)) {
        const auto& [collective, algorithm] = names;
        if (!may_divide(collective, algorithm) || divided.contains(names)) continue;
        ++found;
        std::printf("FAILED %s/%s keeps messages whole, and does not claim it\n",
                    std::string(collective).c_str(), std::string(algorithm).c_str());
    }
    return found;
}

int prove(const Options& options)
{
    Machine::divides_operators = !options.whole;
    std::set<Names> divided;
    long failed = 0, done = 0, passed = 0, too_large = 0;
    std::int64_t messages = 0;
    Stage stage;
    const std::clock_t began = std::clock();
    for_each_case(options, [&](long number, const Case& now) {
        Outcome outcome = outcome_of(now, stage, options.messages);
        if (options.whole) outcome.fault = fault_in(now, outcome);
        if (outcome.divides) divided.emplace(now.collective, now.algorithm);
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
    if (options.whole && options.all && !options.only) failed += needless(options, divided);
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
    const Options options = read(argc, argv);
    if (options.with_wrong) laneway::property::register_wrong();
    laneway::Recorder::checks = true;
    MPI_Init(&argc, &argv);
    int status = EXIT_FAILURE;
    try {
        if (options.types)
            status = types_are_as_mpi_packs_them() ? EXIT_SUCCESS : EXIT_FAILURE;
        else
            status = prove(options);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "laneway-prove: %s\n", error.what());
    }
    MPI_Finalize();
    return status;
}
