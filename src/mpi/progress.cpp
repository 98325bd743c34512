// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/progress.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <atomic>
#include <mutex>

#include "mpi/error.hpp"
#include "mpi/real.hpp"
#include "mpi/ucx_progress.h"

namespace laneway::progress {
namespace {

using Work = int (*)();

std::atomic<Work> current{nullptr};
std::atomic<bool> heard{false};

int carry_on()
{
    if (!heard.load(std::memory_order_relaxed)) [[unlikely]]
        heard = true;
    const Work work = current.load(std::memory_order_acquire);
    if (!work || Inside::is()) return 0;
    const Inside inside;
    return work();
}

using Register = int(Work);

/// Open MPI's own means for its components, which it exports.
Register* of_open_mpi(const char* name)
{
    void* const library = real::library();
    return reinterpret_cast<Register*>(library ? dlsym(library, name) : nullptr);
}

/// MPICH looks for messages with its locks held, if several threads may call it: nothing may call it there.
bool is_locked()
{
    int level = MPI_THREAD_MULTIPLE;
    check(PMPI_Query_thread(&level));
    return level == MPI_THREAD_MULTIPLE;
}

/// A test of a request that is under way: libraries look for messages then.
void test_what_takes_longer()
{
    const auto query = [](void*, MPI_Status* status) {
        PMPI_Status_set_elements(status, MPI_BYTE, 0);
        return PMPI_Status_set_cancelled(status, 0);
    };
    const auto free = [](void*) { return MPI_SUCCESS; };
    const auto cancel = [](void*, int) { return MPI_SUCCESS; };
    MPI_Request request = MPI_REQUEST_NULL;
    int done = 0;
    check(PMPI_Grequest_start(query, free, cancel, nullptr, &request));
    check(PMPI_Test(&request, &done, MPI_STATUS_IGNORE));
    check(PMPI_Grequest_complete(request));
    check(PMPI_Wait(&request, MPI_STATUS_IGNORE));
}

bool hook()
{
    if (Register* const add = of_open_mpi("opal_progress_register"))
        add(carry_on);
    else if (&laneway_with_ucx_progress && !is_locked())
        laneway_with_ucx_progress(carry_on);
    else
        return false;
    heard = false;
    test_what_takes_longer();
    return heard;
}

}  // namespace

bool carries_on(Work work)
{
    static std::once_flag once;
    static bool works = false;
    std::call_once(once, [] { works = hook(); });
    if (works) current = work;
    return works;
}

void stop() { current = nullptr; }

}  // namespace laneway::progress
