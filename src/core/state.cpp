// SPDX-License-Identifier: BSD-3-Clause
#include "core/state.hpp"

#include <atomic>
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

/// Makes sure, once MPI_COMM_SELF is there, that we hear of the end. (Sessions have none.)
void listen_for_the_end()
{
    static std::atomic_flag listening = ATOMIC_FLAG_INIT;
    int initialized = 0;
    check(PMPI_Initialized(&initialized));
    if (!initialized || listening.test_and_set()) return;
    int keyval = MPI_KEYVAL_INVALID;
    check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, hear_the_end, &keyval, nullptr));
    check(PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr));
    check(PMPI_Comm_free_keyval(&keyval));
}

/// The key of our attribute. It lives as long as a session may use it: see forget_key().
std::atomic<int> key{MPI_KEYVAL_INVALID};
std::atomic<int> states{0};
std::mutex key_mutex;

int keyval()
{
    if (const int known = key; known != MPI_KEYVAL_INVALID) return known;
    const std::scoped_lock lock(key_mutex);
    if (key == MPI_KEYVAL_INVALID) {
        int created = MPI_KEYVAL_INVALID;
        check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_state, &created, nullptr));
        key = created;
    }
    return key;
}

/// Where no communicator carries our attribute, its key is given back: after the last session the
/// library may give the same number to somebody else.
void forget_key()
{
    const std::scoped_lock lock(key_mutex);
    int unused = key;
    if (states > 0 || unused == MPI_KEYVAL_INVALID) return;
    key = MPI_KEYVAL_INVALID;
    PMPI_Comm_free_keyval(&unused);
}

/// True where no process of `comm` holds too many communicators to make more. Collective.
bool room_for_more(MPI_Comm comm)
{
    const int mine = Comm::alive();
    int most = 0;
    check_raised(PMPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, comm));
    return most < communicators_at_most;
}

}  // namespace

State* State::existing(MPI_Comm comm)
{
    void* state = nullptr;
    int found = 0;
    check_raised(PMPI_Comm_get_attr(comm, keyval(), &state, &found));
    return found ? static_cast<State*>(state) : nullptr;
}

State& State::of(MPI_Comm comm)
{
    if (State* state = existing(comm)) return *state;
    listen_for_the_end();
    std::unique_ptr<State> made(new State(comm));
    check_raised(PMPI_Comm_set_attr(comm, keyval(), made.get()));
    return *made.release();
}

State::~State() { --states; }

State::State(MPI_Comm comm) : comm_(comm)
{
    ++states;
    int inter = 0;
    check_raised(PMPI_Comm_test_inter(comm, &inter));
    check_raised(PMPI_Comm_size(comm, &member_.size));
    check_raised(PMPI_Comm_rank(comm, &member_.rank));
    if (inter || member_.size == 1) return;
    decomposable_ = true;
    settings_ = agree_on_settings(comm);
}

const Decomposition* State::decomposition()
{
    if (decomposition_ || !decomposable_) return decomposition_.get();
    try {
        if (room_for_more(comm_)) {
            world_ = split_agreed(comm_, 0, member_.rank);
            decomposition_ = std::make_unique<Decomposition>(*world_, Scope::user, settings_);
        }
    } catch (const Error&) {
        world_.reset();  // there were no communicators left, and all ranks know
    }
    decomposable_ = decomposition_ != nullptr;
    return decomposition_.get();
}

void begin_end() { Comm::abandon(true); }

int end_session(const std::function<int()>& finalize)
{
    forget_key();
    Comm::abandon(true);
    const int code = finalize();
    Comm::abandon(false);
    return code;
}

}  // namespace laneway
