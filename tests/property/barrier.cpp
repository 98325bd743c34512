// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <chrono>
#include <thread>

#include "call_form.hpp"
#include "case.hpp"
#include "collectives/facts_of.hpp"

namespace laneway::property {
namespace {

/// A counter in memory that all processes of a communicator on one machine share.
class Counter {
public:
    explicit Counter(MPI_Comm comm)
    {
        int rank = 0;
        check(PMPI_Comm_rank(comm, &rank));
        int* own = nullptr;
        check(PMPI_Win_allocate_shared(rank == 0 ? sizeof(int) : 0, sizeof(int), MPI_INFO_NULL,
                                       comm, &own, &window_));
        MPI_Aint size = 0;
        int unit = 0;
        check(PMPI_Win_shared_query(window_, 0, &size, &unit, &value_));
        if (rank == 0) *value_ = 0;
        check(PMPI_Barrier(comm));
    }
    Counter(const Counter&) = delete;
    Counter& operator=(const Counter&) = delete;
    ~Counter() { PMPI_Win_free(&window_); }

    void add_one() { std::atomic_ref(*value_).fetch_add(1); }
    int value() const { return std::atomic_ref(*value_).load(); }

private:
    MPI_Win window_ = MPI_WIN_NULL;
    int* value_ = nullptr;
};

/// The root comes late: when all others are about to go into the barrier, and have had the time to leave it.
/// Whoever leaves must find that all have come, however long that took: time makes no difference but to how
/// surely a wrong barrier is caught.
void run(Trial& trial)
{
    constexpr int rounds = 5;
    constexpr std::chrono::milliseconds late(2);
    const Case& now = trial.of();

    Counter come(trial.comm());
    for (int round = 1; round <= rounds; ++round) {
        if (trial.is_root()) {
            while (come.value() < round * trial.size() - 1) std::this_thread::yield();
            std::this_thread::sleep_for(late);
        }
        come.add_one();
        trial.serve(nullptr,
                    [&] { return LANEWAY_CALL(barrier, now.algorithm.data(), trial.comm()); });
        trial.expect(come.value() >= round * trial.size(), "left before all had come");
        // Else those of the next round could stand in for some of this.
        check(PMPI_Barrier(trial.comm()));
    }
    // There are no elements, but there is something to do.
    trial.expect_served<Barrier>({.count = 1}, 0, 0);
}

const Collective::Register entry({
    .name = "barrier",
    .rooted = true,
    .data = false,
    .algorithms = algorithms_of<Barrier>,
    .run = run,
});

}  // namespace
}  // namespace laneway::property
