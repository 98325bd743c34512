// SPDX-License-Identifier: BSD-3-Clause
#include "core/agreement.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <thread>

#include "core/hash.hpp"
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

std::string text_of_rank_0(std::string text, MPI_Comm comm)
{
    int length = static_cast<int>(text.size());
    check_raised(real::Bcast(&length, 1, MPI_INT, 0, comm));
    text.resize(static_cast<std::size_t>(length));
    check_raised(real::Bcast(text.data(), length, MPI_CHAR, 0, comm));
    return text;
}

void say_once(std::atomic_flag& said, const std::string& message)
{
    if (!said.test_and_set()) std::fprintf(stderr, "laneway: %s\n", message.c_str());
}

}  // namespace

std::shared_ptr<const Settings> agree_on_settings(MPI_Comm comm)
{
    static std::atomic_flag said_different = ATOMIC_FLAG_INIT, said_wrong = ATOMIC_FLAG_INIT;
    int rank = 0;
    check_raised(PMPI_Comm_rank(comm, &rank));

    std::shared_ptr<const Settings> settings = Settings::own();
    if (!equal_on_all(hash(settings->text()), comm)) {
        settings = std::make_shared<const Settings>(text_of_rank_0(settings->text(), comm));
        if (rank == 0)
            say_once(said_different,
                     "the LANEWAY_* settings differ between processes (profiles, too); where they "
                     "do, those of "
                     "rank 0 of a communicator hold on it");
    }
    if (!settings->error().empty()) {
        if (rank == 0)
            say_once(said_wrong,
                     settings->error() + (settings->strict() ? "; the job ends (LANEWAY_STRICT)"
                                                             : "; everything is served natively"));
        if (settings->strict()) {
            // The others wait for their end, and the launcher gets the time to pass the message on:
            // what is on its way when a job is aborted may be lost.
            if (rank != 0) check_raised(real::Barrier(comm));
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
            PMPI_Abort(comm, 1);
        }
    }
    return settings;
}

}  // namespace laneway
