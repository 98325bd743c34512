// SPDX-License-Identifier: BSD-3-Clause
#include "messages/idle.hpp"

#include <sched.h>

#include "library/error.hpp"
#include "node/channel.hpp"

namespace laneway {
namespace {

/// Some 2 us of looks, which is as long as giving the processor up and getting it back takes.
constexpr unsigned eager_looks = 100;

/// Looks of these that come one after the other: a message that the other side sends at once is found at once.
constexpr unsigned first_looks = 16;

/// Looks for each time that the library makes progress. Progress takes as long as ten looks, and where processes share
/// a processor all others of them wait for it.
constexpr unsigned looks_a_progress = 16;

void pause()
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

/// Libraries make progress where they look for a message that is not there. Nobody sends to himself with tag 0 but at
/// once with the receive.
void let_the_library_go_on(const Comm& comm)
{
    int found = 0;
    check(PMPI_Iprobe(comm.world_rank(comm.rank()), comm.tag_of(0), comm.travels_on(), &found,
                      MPI_STATUS_IGNORE));
}

}  // namespace

bool Idle::looks_on()
{
    ++looks_;
    if (comm_.channel()->is_crowded() || looks_ >= eager_looks) return false;
    if (looks_ >= first_looks) pause();
    return true;
}

void Idle::relax(bool asked)
{
    if (looks_on()) return;
    const bool is_crowded = comm_.channel()->is_crowded();
    if (!asked && (!is_crowded || looks_ % looks_a_progress == 0)) let_the_library_go_on(comm_);
    sched_yield();
}

void let_others_go_on(const Comm& comm)
{
    let_the_library_go_on(comm);
    sched_yield();
}

}  // namespace laneway
