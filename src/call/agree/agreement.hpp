// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <atomic>
#include <memory>
#include <mutex>

#include "call/agree/ballot.h"
#include "choose/settings.hpp"

namespace laneway {

/// The agreement of a communicator's processes on the settings that hold there: this process's own
/// where all agree, else those of rank 0. Where some process's cannot be understood, those of the
/// lowest such rank hold, which make all native.
///
/// It must not make a collective wait that would not wait by itself: natively a broadcast's root runs
/// ahead. So it is begun without waiting, by all processes in their first collective call, and then
///
/// - a process whose own settings could choose something waits for the outcome. It does so in the first call that
///   its settings leave to more than the library (Settings::patience), and may choose something for. Where all settings
///   are equal, that is all there is to it: either all wait in that call, or nobody needs to;
/// - where they differ, and everybody waited in the first call, all know so and go on to rank 0's;
/// - where they differ, and somebody did not wait, the others learn just that. All serve natively until
///   the next call in which all processes meet anyway.
///
/// Where nobody tells us that a communicator is about to be freed (the preload does), all wait. MPICH
/// frees no communicator, nor deletes its attributes, while a request is under way there.
///
/// It runs on the user's communicator, as part of its collective calls, by collectives alone, which no receive
/// of the user's matches. A private communicator would have to be made even where all stays native.
class Agreement {
public:
    /// Begins the agreement. All processes do, in the same call; none waits. `may_be_served`: by the process's own
    /// settings an algorithm may serve that call.
    Agreement(MPI_Comm comm, std::shared_ptr<const Settings> own, bool may_be_served);
    Agreement(const Agreement&) = delete;
    Agreement& operator=(const Agreement&) = delete;
    ~Agreement();

    /// finish() will be called before the communicator is freed: an agreement may be left under way.
    /// To be called before any is begun.
    static void may_be_left_under_way();

    /// Whether this process waits for the outcome in the first call.
    bool waits_at_once() const { return mine_.flags & LANEWAY_WAITS; }

    enum class Outcome {
        later,    ///< no outcome in this call
        settled,  ///< `settings()` hold
        native,   ///< some process has no core (api/coreless.c), and serves natively
    };
    /// To be called in a call of all processes. `waits`: the process waits for the outcome, as all do whose settings
    /// are the same. `all_meet`: all wait for each other in the call anyway, or so that all know it. The outcome is the
    /// same on all processes that wait. Says once where settings differ, and once what of them cannot be understood;
    /// where any process asks for LANEWAY_STRICT, that ends the job.
    Outcome reach(bool waits, bool all_meet);

    const std::shared_ptr<const Settings>& settings() const { return settings_; }
    /// Whether all had the same settings. Known once the agreement is reached.
    bool is_unanimous() const { return all_.digest == ~all_.complement; }

    /// Waits until all processes have begun the agreement. Returns an MPI error code.
    int finish();

    /// As finish(), for all agreements that this process has begun, while other threads may begin and finish theirs.
    /// For the end of a session, where all processes have begun the same ones.
    static void finish_all();
    /// As finish_all(), for the end of MPI: agreements that are begun later on, by others who hear of the end, are
    /// waited for.
    static void finish_for_good();

private:
    void await_tests(std::unique_lock<std::mutex>& lock) const;
    MPI_Request take();
    MPI_Request take_to_test();
    int test(bool& done);
    int test(MPI_Request taken, bool& done);
    Outcome settle();

    MPI_Comm comm_;
    std::shared_ptr<const Settings> settings_;
    LanewayBallot mine_;
    LanewayBallot all_{};
    MPI_Request request_ = MPI_REQUEST_NULL;
    /// All processes have begun the agreement. Looked at without the lock: calls that nothing is chosen for come by
    /// often.
    std::atomic<bool> has_arrived_ = false;
};

}  // namespace laneway
