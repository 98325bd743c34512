// SPDX-License-Identifier: BSD-3-Clause
#include "core/agreement.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <thread>

#include "core/hash.hpp"
#include "core/node.hpp"
#include "mpi/error.hpp"
#include "mpi/real.hpp"

namespace laneway {
namespace {

/// Equal on all ranks? A bit that differs is missing from the conjunction of the values or from that
/// of their complements.
bool equal_on_all(std::uint64_t value, MPI_Comm comm)
{
    const std::array<std::uint64_t, 2> mine{value, ~value};
    std::array<std::uint64_t, 2> common{};
    check_raised(real::Allreduce(mine.data(), common.data(), 2, MPI_UINT64_T, MPI_BAND, comm));
    return common[0] == ~common[1];
}

/// What must be known of all processes where their settings differ.
struct Findings {
    int wrong;   ///< lowest rank whose settings cannot be understood; past all ranks: none
    int strict;  ///< -1: some process asks for LANEWAY_STRICT
};
Findings findings(const Settings& own, int rank, MPI_Comm comm)
{
    const Findings mine{own.error().empty() ? INT_MAX : rank, own.strict() ? -1 : 0};
    Findings all{};
    check_raised(real::Allreduce(&mine, &all, 2, MPI_INT, MPI_MIN, comm));
    return all;
}

std::string text_of(int root, std::string text, MPI_Comm comm)
{
    int length = static_cast<int>(text.size());
    check_raised(real::Bcast(&length, 1, MPI_INT, root, comm));
    text.resize(static_cast<std::size_t>(length));
    check_raised(real::Bcast(text.data(), length, MPI_CHAR, root, comm));
    return text;
}

void say_once(std::atomic_flag& said, const std::string& message)
{
    if (!said.test_and_set()) std::fprintf(stderr, "laneway: %s\n", message.c_str());
}

constexpr const char* different = "the LANEWAY_* settings differ between processes (profiles, too)";

/// Whose settings cannot be understood, where they differ: the calling process's.
std::string in_words(int rank)
{
    std::array<char, MPI_MAX_PROCESSOR_NAME> host{};
    int length = 0;
    check(PMPI_Get_processor_name(host.data(), &length));
    return std::string(different) + "; on rank " + std::to_string(world_rank().value_or(rank)) +
           ", " + host.data() + ": ";
}

}  // namespace

std::shared_ptr<const Settings> agree_on_settings(MPI_Comm comm)
{
    static std::atomic_flag said_different = ATOMIC_FLAG_INIT, said_wrong = ATOMIC_FLAG_INIT;
    int rank = 0, speaker = 0;
    check_raised(PMPI_Comm_rank(comm, &rank));

    std::shared_ptr<const Settings> settings = Settings::own();
    bool strict = settings->strict();
    const bool equal = equal_on_all(hash(settings->text()), comm);
    if (!equal) {
        const Findings found = findings(*settings, rank, comm);
        if (found.wrong != INT_MAX) speaker = found.wrong;
        strict = found.strict != 0;
        settings = std::make_shared<const Settings>(text_of(speaker, settings->text(), comm));
    }
    if (settings->error().empty()) {
        if (!equal && rank == speaker)
            say_once(said_different, std::string(different) +
                                         "; where they do, those of rank 0 of a communicator hold "
                                         "on it");
        return settings;
    }
    if (rank == speaker)
        say_once(said_wrong, (equal ? "" : in_words(rank)) + settings->error() +
                                 (strict ? "; the job ends (LANEWAY_STRICT)"
                                         : "; everything is served natively"));
    said_wrong.test_and_set();  // not again on a communicator of others
    if (strict) {
        // The others wait for their end, and the launcher gets the time to pass the message on:
        // what is on its way when a job is aborted may be lost.
        if (rank != speaker) check_raised(real::Barrier(comm));
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        PMPI_Abort(comm, 1);
    }
    return settings;
}

}  // namespace laneway
