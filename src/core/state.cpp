// SPDX-License-Identifier: BSD-3-Clause
#include "core/state.hpp"

#include <mutex>

#include "core/agreement.hpp"
#include "mpi/error.hpp"

namespace laneway {
namespace {

/// Private communicators that a process may hold. Libraries end at 2046 communicators (MPICH 4.0),
/// and those are the program's, not ours: past this number a communicator stays native.
constexpr int communicators_at_most = 256;

int free_state(MPI_Comm, int, void* state, void*)
{
    delete static_cast<State*>(state);
    return MPI_SUCCESS;
}

/// Attributes of MPI_COMM_SELF are deleted first of all in MPI_Finalize, when MPI still works; those
/// of other communicators may be deleted when it no longer does.
int hear_the_end(MPI_Comm, int, void*, void*)
{
    begin_end();
    return MPI_SUCCESS;
}

void listen_for_the_end()
{
    int initialized = 0;
    check(PMPI_Initialized(&initialized));
    if (!initialized) return;  // sessions: there is no MPI_COMM_SELF
    int keyval = MPI_KEYVAL_INVALID;
    check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, hear_the_end, &keyval, nullptr));
    check(PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr));
    check(PMPI_Comm_free_keyval(&keyval));
}

int keyval()
{
    static const int value = [] {
        listen_for_the_end();
        int created = MPI_KEYVAL_INVALID;
        check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_state, &created, nullptr));
        return created;
    }();
    return value;
}

/// True where no process of `comm` holds too many communicators to make more. Collective.
bool room_for_more(MPI_Comm comm)
{
    const int mine = Comm::alive();
    int most = 0;
    check(PMPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, comm));
    return most < communicators_at_most;
}

}  // namespace

State* State::existing(MPI_Comm comm)
{
    void* state = nullptr;
    int found = 0;
    check(PMPI_Comm_get_attr(comm, keyval(), &state, &found));
    return found ? static_cast<State*>(state) : nullptr;
}

State& State::of(MPI_Comm comm)
{
    if (State* state = existing(comm)) return *state;
    std::unique_ptr<State> made(new State(comm));
    check(PMPI_Comm_set_attr(comm, keyval(), made.get()));
    return *made.release();
}

State::State(MPI_Comm comm) : comm_(comm)
{
    int inter = 0;
    check(PMPI_Comm_test_inter(comm, &inter));
    check(PMPI_Comm_size(comm, &size_));
    if (inter || size_ == 1) return;
    decomposable_ = true;
    settings_ = agree_on_settings(comm);
}

const Decomposition* State::decomposition()
{
    if (decomposition_ || !decomposable_) return decomposition_.get();
    int rank = 0;
    check(PMPI_Comm_rank(comm_, &rank));
    try {
        if (room_for_more(comm_)) {
            world_ = split_agreed(comm_, 0, rank);
            decomposition_ = std::make_unique<Decomposition>(*world_, Scope::user, settings_);
        }
    } catch (const Error&) {
        world_.reset();  // there were no communicators left, and all ranks know
    }
    decomposable_ = decomposition_ != nullptr;
    return decomposition_.get();
}

void begin_end() { Comm::abandon(true); }

void finish_end() { Comm::abandon(false); }

}  // namespace laneway
