// SPDX-License-Identifier: BSD-3-Clause
#include "core/state.hpp"

#include <array>
#include <atomic>
#include <mutex>

#include "core/agreement.hpp"
#include "core/device.hpp"
#include "core/node.hpp"
#include "mpi/error.hpp"
#include "mpi/real.hpp"

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
    if (Report* report = Report::own()) report->end("MPI_Finalize");
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

/// What must be known of all processes before communicators are made. Collective.
struct Survey {
    int communicators;  ///< private ones that one process holds, at most
    int devices;        ///< some process has an accelerator's runtime
};
Survey survey(MPI_Comm comm)
{
    const Survey mine{Comm::alive(), has_device_runtime()};
    Survey all{};
    check_raised(real::Allreduce(&mine, &all, 2, MPI_INT, MPI_MAX, comm));
    return all;
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
    if (inter) {
        native_because_ = "an inter-communicator";
    } else if (member_.size == 1) {
        native_because_ = "a communicator of one process";
    } else {
        settings_ = agree_on_settings(comm);
        if (!settings_->error().empty())
            native_because_ = "settings that cannot be understood";
        else if (settings_->advises())
            native_because_ = "advising";
        else if (settings_->off())
            native_because_ = "LANEWAY=off";
    }
    if (Report::own() || (settings_ && settings_->reports())) find_place();
}

void State::find_nodes_once()
{
    if (!nodes_.empty()) return;
    try {
        nodes_ = find_nodes(comm_, member_.size, *settings_);
    } catch (const Error& error) {
        throw Error(error.code(), true);  // the communicator is the user's
    }
}

const Selector* State::selector()
{
    if (native_because_ || !settings_->rules().choose(Scope::user)) return nullptr;
    if (!selector_) {
        find_nodes_once();
        selector_.emplace(settings_->rules(), Scope::user, shape_of(nodes_, *settings_));
    }
    return &*selector_;
}

/// Communicators are told apart by the rank of their first process in MPI_COMM_WORLD and its count
/// of them: all their processes learn both, where the report was agreed on.
void State::find_place()
{
    constexpr int told_apart = 64;
    static std::atomic<int> led{0};
    Place place{.id = settings_ ? "?" : native_because_, .name = {}, .ranks = member_.size};
    if (settings_ && settings_->reports()) {
        std::array<int, 2> first{world_rank().value_or(-1), member_.rank == 0 ? led++ : 0};
        check_raised(real::Bcast(first.data(), 2, MPI_INT, 0, comm_));
        place.id = first[1] < told_apart ? std::to_string(first[0]) + "." + std::to_string(first[1])
                                         : std::to_string(member_.size) + " ranks";
        find_nodes_once();
        const Shape shape = shape_of(nodes_, *settings_);
        place.nodes = shape.nodes;
        place.smallest = shape.smallest;
        place.largest = shape.largest;
        place.lanes = shape.lanes;
        if (first[1] >= told_apart) place.id += " on " + std::to_string(shape.nodes) + " nodes";
    }
    if (!Report::own()) return;
    std::array<char, MPI_MAX_OBJECT_NAME> name{};
    int length = 0;
    check_raised(PMPI_Comm_get_name(comm_, name.data(), &length));
    place.name = name.data();
    place_ = std::make_unique<Place>(std::move(place));
}

Decomposition* State::decomposition()
{
    if (decomposition_ || native_because_) return decomposition_.get();
    find_nodes_once();
    const auto [communicators, devices] = survey(comm_);
    devices_ = devices != 0;
    try {
        if (communicators < communicators_at_most) {
            errors_.emplace(comm_);
            errors_->while_returning([&] { world_ = split_agreed(comm_, 0, member_.rank); });
            decomposition_ =
                std::make_unique<Decomposition>(*world_, nodes_, Scope::user, settings_);
        }
    } catch (const Error&) {
        world_.reset();  // there were no communicators left, and all ranks know
    }
    if (!decomposition_) native_because_ = "no communicators left";
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
