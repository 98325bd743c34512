// SPDX-License-Identifier: BSD-3-Clause
#include "library/progress.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <atomic>
#include <mutex>

#include "library/error.hpp"
#include "library/real.hpp"
#include "library/ucx_progress.h"

namespace laneway::progress {
namespace {

using Work = int (*)();

std::atomic<Work> current{nullptr};

/// A test in this thread is to find out whether the library calls us.
thread_local bool tries = false;
std::atomic<bool> heard{false};
/// MPICH's worker of UCX. Other code in the process, which calls no MPI, has workers of its own.
std::atomic<void*> mpich{nullptr};

std::atomic<unsigned> turns_with_news{0};

int go_on()
{
    if (tries) heard = true;
    const Work work = current.load(std::memory_order_acquire);
    if (!work || Inside::is()) return 0;
    const Inside inside;
    return work();
}

int carry_on()
{
    turns_with_news.fetch_add(1, std::memory_order_relaxed);
    return go_on();
}

/// Messages within a node, by MPICH's own memory, move without UCX. Even where few go there, none may be forgotten.
constexpr unsigned turns_where_many_come_unseen = 8, turns_where_few_do = 1024;
std::atomic<unsigned> turns_until_news{turns_where_few_do};

void carry_on_for(void* worker, unsigned moved)
{
    static std::atomic<unsigned> quiet = 0;  // shared by threads: each turn may be another one's
    if (tries) mpich = worker;
    if (mpich.load(std::memory_order_relaxed) != worker) return;
    const unsigned turns = turns_until_news.load(std::memory_order_relaxed);
    if (moved != 0 || quiet.fetch_add(1, std::memory_order_relaxed) % turns == 0)
        turns_with_news.fetch_add(1, std::memory_order_relaxed);
    go_on();
}

using Register = int(int (*)());

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

/// MPICH 5 looks at the network in few of its turns.
constexpr int most_turns = 4096;

/// Tests a request that is under way: libraries look for messages then.
void test_what_takes_longer()
{
    const auto query = [](void*, MPI_Status* status) {
        PMPI_Status_set_elements(status, MPI_BYTE, 0);
        return PMPI_Status_set_cancelled(status, 0);
    };
    const auto free = [](void*) -> int { return MPI_SUCCESS; };
    const auto cancel = [](void*, int) -> int { return MPI_SUCCESS; };
    MPI_Request request = MPI_REQUEST_NULL;
    int done = 0;
    check(PMPI_Grequest_start(query, free, cancel, nullptr, &request));
    for (int turn = 0; turn < most_turns && !heard; ++turn)
        check(real::Test(&request, &done, MPI_STATUS_IGNORE));
    check(PMPI_Grequest_complete(request));
    check(real::Wait(&request, MPI_STATUS_IGNORE));
}

bool hook()
{
    if (Register* const add = of_open_mpi("opal_progress_register")) {
        if (Register* const remove = of_open_mpi("opal_progress_unregister")) remove(carry_on);
        add(carry_on);
    } else if (&laneway_with_ucx_progress && !is_locked()) {
        laneway_with_ucx_progress(carry_on_for);
    } else {
        return false;
    }
    heard = false;
    tries = true;
    test_what_takes_longer();
    tries = false;
    return heard;
}

enum class Known : unsigned char { nothing, works, works_not };
std::mutex known_mutex;
Known known = Known::nothing;

}  // namespace

bool carries_on(Work work)
{
    const std::scoped_lock lock(known_mutex);
    if (known == Known::nothing) known = hook() ? Known::works : Known::works_not;
    if (known == Known::works) current = work;
    return known == Known::works;
}

void expect_unseen_news() { turns_until_news = turns_where_many_come_unseen; }

unsigned news() { return turns_with_news.load(std::memory_order_relaxed); }

void forget()
{
    const std::scoped_lock lock(known_mutex);
    known = Known::nothing;
}

}  // namespace laneway::progress
