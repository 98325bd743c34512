// SPDX-License-Identifier: BSD-3-Clause
#include "call/state.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "call/agreed.hpp"
#include "call/node_memory.hpp"
#include "call/one_node.hpp"
#include "call/reproducible.hpp"
#include "choose/device.hpp"
#include "choose/node.hpp"
#include "mpi/error.hpp"
#include "mpi/flow.hpp"
#include "mpi/progress.hpp"
#include "mpi/real.hpp"

namespace laneway {
namespace {

/// States that nobody uses any more. Which call frees their communicators is each process's own affair: in
/// both libraries freeing one that nothing is under way on waits for nobody.
struct Buried {
    std::mutex mutex;
    std::vector<std::unique_ptr<State>> states;
};

Buried& buried()
{
    static auto* const only = new Buried;
    return *only;
}

void free_buried()
{
    std::vector<std::unique_ptr<State>> ended;
    const std::scoped_lock lock(buried().mutex);
    ended.swap(buried().states);
}

int free_state(MPI_Comm, int, void* state, void*)
{
    static_cast<State*>(state)->freed();
    free_buried();
    return MPI_SUCCESS;
}

/// Attributes of MPI_COMM_SELF are deleted first of all in MPI_Finalize, when MPI still works; those
/// of other communicators may be deleted when it no longer does.
int hear_the_end(MPI_Comm, int, void*, void*)
{
    Agreement::finish_for_good();
    begin_end();
    free_buried();
    if (Report* report = Report::own()) report->end("MPI_Finalize");
    return MPI_SUCCESS;
}

}  // namespace

void listen_for_the_end()
{
    static std::atomic_flag listening = ATOMIC_FLAG_INIT;
    if (!world_is_there() || listening.test_and_set()) return;
    int keyval = MPI_KEYVAL_INVALID;
    check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, hear_the_end, &keyval, nullptr));
    check(PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr));
    check(PMPI_Comm_free_keyval(&keyval));
}

namespace {

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

int greatest(int mine, MPI_Comm comm)
{
    int all = 0;
    check_raised(real::Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, comm));
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
    free_buried();
    std::unique_ptr<State> made(new State(comm));
    check_raised(PMPI_Comm_set_attr(comm, keyval(), made.get()));
    return *made.release();
}

State::Counted::Counted() { ++states; }
State::Counted::~Counted() { --states; }

State::State(MPI_Comm comm) : comm_(comm), member_(member_of(comm))
{
    int inter = 0;
    check_raised(PMPI_Comm_test_inter(comm, &inter));
    is_inter_ = inter != 0;
    if (is_inter_) {
        native_because_ = "an inter-communicator";
    } else if (member_.size == 1) {
        native_because_ = "a communicator of one process";
    } else if (auto known = agreed_before(comm)) {
        take_settings(std::move(known));
        return;
    } else {
        agreement_ = std::make_unique<Agreement>(comm, Settings::own());
        return;
    }
    is_young_ = false;
    if (Report::own()) find_place();
}

bool State::count_call(std::int64_t bytes)
{
    /// Natively it takes as long as making the parts does, or longer: on a lane of 100 Gbit/s 84 us.
    constexpr std::int64_t large = 1 << 20;
    const int patience =
        settings().rules().choose() ? settings().patience(comm_ == MPI_COMM_WORLD) : 0;
    ++calls_;
    is_young_ = calls_ < std::max(patience, 2);  // the second one must not be taken for the first
    return calls_ <= patience && bytes < large && !parts_;
}

bool State::settled(bool waits, bool all_meet)
{
    if (!is_open()) return true;
    const Agreement::Outcome outcome = agreement_->reach(waits, all_meet);
    if (outcome != Agreement::Outcome::later) {
        counts_alike_ = agreement_->is_unanimous();
        is_young_ = is_young_ && counts_alike_;
        take_settings(outcome == Agreement::Outcome::native ? nullptr : agreement_->settings());
    } else if (Report::own() && !reported_) {
        reported_ = std::make_unique<ReportedComm>(reported_of(comm_));
    }
    return !is_open();
}

/// `agreed`: what all have agreed on; null: nothing, and all is native.
void State::take_settings(std::shared_ptr<const Settings> agreed)
{
    settings_ = std::move(agreed);
    if (!settings_) {
        native_because_ = "a process that could not load Laneway";
    } else {
        if (settings_->rules().choose(Scope::nonblocking) ||
            settings_->rules().choose(Scope::persistent))
            any_chooses_forms_ = true;
        if (!settings_->error().empty())
            native_because_ = "settings that cannot be understood";
        else if (settings_->advises())
            native_because_ = "advising";
        else if (settings_->off())
            native_because_ = "LANEWAY=off";
        say_what_is_overruled(*settings_, member_.rank);
    }
    agreement_.reset();
    if (Report::own() || (settings_ && settings_->reports())) find_place();
}

void State::find_mapping_once()
{
    if (!mapping_.nodes.empty()) return;
    try {
        mapping_ = find_mapping(comm_, member_.size, *settings_);
    } catch (const Error& error) {
        throw Error(error.code(), true);  // the communicator is the user's
    }
}

const Selector* State::selector(Scope form)
{
    if (native_because_ || !settings_->rules().choose()) return nullptr;
    if (selectors_.empty()) {
        find_mapping_once();
        const Shape shape = shape_of(mapping_.nodes, *settings_);
        say_if_on_one_node(*settings_, shape, member_);
        for (const Scope one : {Scope::user, Scope::nonblocking, Scope::persistent})
            selectors_.emplace_back(settings_->rules(), one, shape);
    }
    return settings_->rules().choose(form) ? &selectors_[static_cast<std::size_t>(form)] : nullptr;
}

void State::prepare(bool carries_on)
{
    if (is_prepared_ || !parts()) return;
    devices();
    carries_on_ = greatest(!carries_on, comm_) == 0;
    is_prepared_ = true;
}

void State::let_go()
{
    if (--uses_ > 0) return;
    const std::scoped_lock lock(buried().mutex);
    buried().states.emplace_back(this);
}

Parts* State::parts()
{
    if (parts_ || native_because_) {
        if (parts_) mind_devices(*parts_);
        return parts_.get();
    }
    find_mapping_once();
    try {
        std::vector<Comm> world;
        errors_.emplace(comm_);
        errors_->while_returning([&] { world = split_agreed(comm_, {{0, member_.rank}}); });
        parts_ = std::make_unique<Parts>(std::move(world.front()), mapping_, *settings_);
        if (settings_->shares_memory()) share_memory(*parts_);
    } catch (const NoCommunicators& none) {
        native_because_ = none.why();
    }
    return parts_.get();
}

bool State::devices()
{
    if (!devices_) devices_ = greatest(uses_devices(), comm_) != 0;
    return *devices_;
}

Member member_of(MPI_Comm comm)
{
    Member member{};
    check_raised(PMPI_Comm_rank(comm, &member.rank));
    check_raised(PMPI_Comm_size(comm, &member.size));
    return member;
}

void begin_end()
{
    Flow::finish_all();
    Comm::abandon(true);
}

int end_session(const std::function<int()>& finalize)
{
    // Beside the world, another process may enter its first collective there only after this call.
    if (!world_is_there()) {
        Agreement::finish_all();
        Flow::finish_all();
    }
    Comm::abandon(true);
    free_buried();
    forget_key();
    progress::forget();
    const int code = finalize();
    Comm::abandon(false);
    if (Report* report = Report::own(); report && code == MPI_SUCCESS)
        report->end("MPI_Session_finalize");
    return code;
}

}  // namespace laneway
