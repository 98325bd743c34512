// SPDX-License-Identifier: BSD-3-Clause
#include "call/communicator/lifetime.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "call/agree/agreement.hpp"
#include "call/communicator/going.h"
#include "call/learn/keeping.hpp"
#include "library/error.hpp"
#include "library/identity.hpp"
#include "library/progress.hpp"
#include "library/quirks.hpp"
#include "library/real.hpp"
#include "messages/comm.hpp"
#include "messages/flow.hpp"
#include "report/report.hpp"

namespace laneway {
namespace {

/// Lifetimes that nobody uses any more. Which call frees their communicators is each process's own affair: in both
/// libraries freeing one that nothing is under way on waits for nobody.
struct Buried {
    std::mutex mutex;
    std::vector<std::unique_ptr<Lifetime>> ended;
};

Buried& buried()
{
    static auto* const only = new Buried;
    return *only;
}

void free_buried()
{
    const Entrance ours;  // exceptions of others' operators wait meanwhile
    std::vector<std::unique_ptr<Lifetime>> ended;
    const std::scoped_lock lock(buried().mutex);
    ended.swap(buried().ended);
}

/// The number of communicators that have been freed: from then on their handles may be those of others.
std::atomic<unsigned> freed{0};

/// A handle as a number: libraries have integers or addresses.
std::uintptr_t number(MPI_Comm comm)
{
    std::uintptr_t number = 0;
    static_assert(sizeof comm <= sizeof number);
    std::memcpy(&number, &comm, sizeof comm);
    return number;
}

int end(MPI_Comm comm, int, void* its, void*)
{
    if (!Lifetime::Ending::is(comm)) laneway_note_going(number(comm), __builtin_frame_address(0));
    static_cast<Lifetime*>(its)->end();
    free_buried();
    return MPI_SUCCESS;
}

/// The key of our attribute. It lives as long as a session may use it: see forget_key().
std::atomic<int> key{MPI_KEYVAL_INVALID};
std::atomic<int> alive{0};
std::mutex key_mutex;

int keyval()
{
    if (const int known = key; known != MPI_KEYVAL_INVALID) return known;
    const std::scoped_lock lock(key_mutex);
    if (key == MPI_KEYVAL_INVALID) {
        int created = MPI_KEYVAL_INVALID;
        check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end, &created, nullptr));
        key = created;
    }
    return key;
}

/// Gives our attribute's key back where no communicator carries it: after the last session the
/// library may give the same number to somebody else.
void forget_key()
{
    const std::scoped_lock lock(key_mutex);
    int unused = key;
    if (alive > 0 || unused == MPI_KEYVAL_INVALID) return;
    key = MPI_KEYVAL_INVALID;
    PMPI_Comm_free_keyval(&unused);
}

/// Attributes of MPI_COMM_SELF are deleted first of all in MPI_Finalize, when MPI still works. Other
/// communicators' attributes may be deleted when it no longer does.
int hear_the_end(MPI_Comm, int, void*, void*)
{
    const Entrance ours;
    Agreement::finish_for_good();
    Flow::finish_all();
    Comm::abandon(true);
    free_buried();
    keep_what_was_learnt();
    if (Report* report = Report::own()) report->end("MPI_Finalize");
    return MPI_SUCCESS;
}

/// The lifetime that the calling thread has found last: to ask the library costs a tenth of a short call.
struct Latest {
    MPI_Comm comm = MPI_COMM_NULL;
    Lifetime* its = nullptr;
    unsigned freed = 0;
};
thread_local Latest latest __attribute__((tls_model("initial-exec")));

/// A communicator that the calling thread frees.
struct Freed {
    MPI_Comm comm;
    Entrance::Mark mark;
    const Lifetime::Ending* of;
    std::unique_ptr<Lifetime::Hold> its;
    bool had_none;

    /// To be called when the freeing is over. Where the library has not freed the communicator yet, it will call us
    /// when it does.
    void over(bool is_gone)
    {
        if (!is_gone && its && !its->is_freed()) {
            if (had_none)
                PMPI_Comm_delete_attr(comm, key);
            else
                its->leave(false);
        }
        freed.fetch_add(1, std::memory_order_acq_rel);
    }
};

/// The endings of the calling thread, the innermost last. Not on its stack, parts of which may be left.
thread_local std::vector<Freed> endings;

/// Forgets endings that are over without a destructor, by longjmp.
void forget_left(const void* from)
{
    while (!endings.empty() && !Entrance::runs(endings.back().mark, from)) {
        Freed left = std::move(endings.back());
        endings.pop_back();
        left.over(false);
    }
}

/// The lifetime of a communicator that has none when it ends.
class Grave final : public Lifetime {
    void give_back() override {}
};

Lifetime* attribute_of(MPI_Comm comm)
{
    void* its = nullptr;
    int found = 0;
    check_raised(PMPI_Comm_get_attr(comm, keyval(), &its, &found));
    return found ? static_cast<Lifetime*>(its) : nullptr;
}

}  // namespace

Lifetime::Lifetime() { ++alive; }
Lifetime::~Lifetime() { --alive; }

Lifetime* Lifetime::of(MPI_Comm comm)
{
    const unsigned now = freed.load(std::memory_order_acquire);
    if (latest.its && latest.comm == comm && latest.freed == now) return latest.its;
    if (Ending::is(comm)) return nullptr;
    Lifetime* const its = attribute_of(comm);
    if (its && its->is_left_) return nullptr;
    // Elsewhere we may never hear again of a lifetime that begins while its communicator is freed.
    static const bool hears_of_ends = real::is_taken("PMPI_Comm_free");
    if (hears_of_ends) latest = {comm, its, now};
    return its;
}

bool Lifetime::ends(MPI_Comm comm)
{
    if (Ending::is(comm) || laneway_is_going(number(comm))) return true;
    const Lifetime* const its = attribute_of(comm);
    return its && its->is_left_;
}

/// A communicator without a lifetime gets one, so that we hear when the library deletes attributes later on.
void Lifetime::Ending::begin(const Entrance::Mark& mark)
{
    const bool had_none = !of(comm_) && quirks().keeps_what_is_freed;
    if (had_none) Lifetime::begin(std::make_unique<Grave>(), comm_);
    Freed one{comm_, mark, this, nullptr, had_none};
    if (Lifetime* const its = of(comm_)) {
        one.its = std::make_unique<Hold>(*its);
        one.its->leave(true);
    }
    freed.fetch_add(1, std::memory_order_acq_rel);
    endings.push_back(std::move(one));
}

Lifetime::Ending::~Ending()
{
    for (bool is_mine = false; !is_mine; endings.pop_back()) {  // inner ones may have been left
        is_mine = endings.back().of == this;
        endings.back().over(is_mine && handle_ != comm_);
    }
    free_buried();
}

bool Lifetime::Ending::is(MPI_Comm comm)
{
    if (endings.empty()) [[likely]]
        return false;
    forget_left(__builtin_frame_address(0));
    return std::ranges::any_of(endings, [&](const Freed& one) { return one.comm == comm; });
}

void Lifetime::begin(std::unique_ptr<Lifetime> its, MPI_Comm comm)
{
    listen_for_the_end();
    free_buried();
    check_raised(PMPI_Comm_set_attr(comm, keyval(), its.get()));
    [[maybe_unused]] const Lifetime* const with_mpi = its.release();
}

void Lifetime::end()
{
    freed.fetch_add(1, std::memory_order_acq_rel);
    is_freed_ = true;
    give_back();
    let_go();
}

void Lifetime::let_go()
{
    if (--holds_ > 0) return;
    const std::scoped_lock lock(buried().mutex);
    buried().ended.emplace_back(this);
}

void listen_for_the_end()
{
    static std::atomic_flag listening = ATOMIC_FLAG_INIT;
    if (!world_is_there() || listening.test_and_set()) return;
    int keyval = MPI_KEYVAL_INVALID;
    check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, hear_the_end, &keyval, nullptr));
    check(PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr));
    check(PMPI_Comm_free_keyval(&keyval));
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
    keep_what_was_learnt();
    const int code = finalize();
    Comm::abandon(false);
    if (Report* report = Report::own(); report && code == MPI_SUCCESS)
        report->end("MPI_Session_finalize");
    return code;
}

}  // namespace laneway
