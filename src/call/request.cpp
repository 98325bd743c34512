// SPDX-License-Identifier: BSD-3-Clause
#include "call/request.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <unordered_map>
#include <utility>

#include "call/communicator/entrance.hpp"
#include "call/duplicates.hpp"
#include "decomposition/contexts.hpp"
#include "library/error.hpp"
#include "library/progress.hpp"
#include "library/quirks.hpp"
#include "library/real.hpp"
#include "library/returning.hpp"
#include "library/threads.hpp"
#include "library/users.hpp"

namespace laneway {
namespace {

/// A failed operation: the communicator whose error handler is to be called, and the code.
struct Failure {
    std::unique_ptr<State::Hold> hold;
    MPI_Comm user;
    int code;
};

/// The requests of this process. The lock is held in no call of MPI that may wait or call the user.
struct All {
    Mutex mutex;
    std::unordered_map<MPI_Request, std::unique_ptr<Request>> known;
    std::vector<Request*> active;
    std::size_t next = 0;  ///< the active one to go on with
    /// The numbers of known and active ones, looked at without the lock.
    std::atomic<std::size_t> any_known{0}, any_active{0};
    /// Failures by the private communicator whose error handler will be called.
    std::unordered_multimap<MPI_Comm, Failure> failures;
};

/// Never destroyed: a program may free requests from a destructor that runs after ours.
All& all()
{
    static auto* const only = new All;
    return *only;
}

/// The communicator on which an error of an operation on `user` is raised. Once that is freed its handle is nobody's,
/// or another one's.
MPI_Comm raised_on(const State::Hold& hold, MPI_Comm user)
{
    return hold.is_freed() ? MPI_COMM_SELF : user;
}

/// Leaves no mark of an entrance: the user's error handler may make collectives.
bool is_in_blocking_call() { return !Entrance().outermost(); }

/// An operation of ours has failed, as its user learns in the call that completes it. The answer is too
/// long for the user's request, and that error comes here.
void raise(MPI_Comm* comm, int*, ...)  // NOLINT(cert-dcl50-cpp): MPI wants it so
{
    if (progress::Inside::is() || is_in_blocking_call()) return;  // a message of another operation
    std::optional<Failure> failure;
    {
        const std::scoped_lock lock(all().mutex);
        const auto place = all().failures.find(*comm);
        if (place == all().failures.end()) return;
        failure.emplace(std::move(place->second));
        all().failures.erase(place);
        if (!all().failures.contains(*comm)) return_errors(*comm);
    }
    PMPI_Comm_call_errhandler(raised_on(*failure->hold, failure->user), failure->code);
}

int refused(MPI_Comm comm)
{
    PMPI_Comm_call_errhandler(comm, MPI_ERR_REQUEST);
    return MPI_ERR_REQUEST;
}

/// The request of ours behind a handle, which stays ours while the user may use it; null: the handle is another's.
Request* find(const MPI_Request* handle)
{
    if (!handle || all().any_known.load(std::memory_order_relaxed) == 0) return nullptr;
    const std::scoped_lock lock(all().mutex);
    const auto place = all().known.find(*handle);
    return place == all().known.end() ? nullptr : place->second.get();
}

/// `body()`, whose errors go no further: the caller is C. Others wait for messages of this operation.
template <class Body>
auto or_end(const Body& body)
{
    try {
        return body();
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "laneway: no memory for an operation under way; the job ends\n");
        PMPI_Abort(MPI_COMM_SELF, MPI_ERR_NO_MEM);
    } catch (const Error& error) {
        PMPI_Abort(MPI_COMM_SELF, error.code());
    }
    std::abort();
}

/// An exception of an operator leaves the call of the program's that it was carried on in; the operation goes on. A
/// collective goes on to its end first.
void throw_what_is_kept()
{
    if (users::has_thrown() && !is_in_blocking_call()) users::throw_what_is_kept();
}

std::unique_ptr<Request> take(MPI_Request handle)
{
    const std::scoped_lock lock(all().mutex);
    const auto node = all().known.extract(handle);
    all().any_known.store(all().known.size(), std::memory_order_relaxed);
    return std::move(node.mapped());
}

}  // namespace

void Request::begin_work(Work work, int first_tag)
{
    execution_.reset();
    program_ = std::move(work.program);
    execution_.emplace(*program_, work.buffers, std::move(work.wires), work.op, first_tag);
}

void Request::carry(Work work, const Decomposition& on, int tags_after)
{
    const int tags = work.program->all_tags() + tags_after;
    int first = 0;
    if (persistent_) {
        first = on.programs().keep_tags(tags, on.tags(), world_);
    } else {
        const auto taken = on.programs().take_tags(tags, on.tags(), world_);
        tags_.emplace(on.programs(), taken);
        first = taken.first;
    }
    first_tag_after_ = first + work.program->all_tags();
    begin_work(std::move(work), first);
    answer_tag_ = context::answer_tag(world_, first);
}

void Request::begin(std::unique_ptr<Request> request, MPI_Request* handle)
{
    Request* const its = request.get();
    const auto receive = its->persistent_ ? PMPI_Recv_init : PMPI_Irecv;
    check(receive(nullptr, 0, MPI_BYTE, its->world_.rank(), its->answer_tag_, its->world_.handle(),
                  &its->handle_));
    *handle = its->handle_;
    {
        const std::scoped_lock lock(all().mutex);
        all().known.emplace(its->handle_, std::move(request));
        all().any_known.store(all().known.size(), std::memory_order_relaxed);
    }
    if (!its->persistent_) its->start();
}

void Request::start()
{
    active_ = true;
    begun_ = false;
    {
        const progress::Inside inside;
        if (has_ended()) return;
    }
    const std::scoped_lock lock(all().mutex);
    all().active.push_back(this);
    all().any_active.store(all().active.size(), std::memory_order_relaxed);
}

/// Carries one work out after the other, as far as that goes without waiting. False: all have ended.
bool Request::goes_on()
{
    if (!begun_) {
        if (tags_ && !tags_->are_free()) return true;
        begun_ = true;
        // A persistent operation that was given up fails again: its messages would meet those that were left.
        if (execution_->is_given_up()) return false;
        if (!execution_->begin()) return true;
    } else if (!execution_->test()) {
        return true;
    }
    auto next = execution_->error() == MPI_SUCCESS ? next_work() : std::nullopt;
    if (!next) return false;
    begin_work(std::move(*next), first_tag_after_);
    return !execution_->begin();
}

/// True: the operation has ended, and must no longer be touched: the user may start it again, or free it, in
/// another thread.
bool Request::has_ended()
{
    if (goes_on()) return false;
    active_ = false;
    const bool is_over =
        !persistent_ || (quirks().frees_what_fails && execution_->error() != MPI_SUCCESS);
    const auto mine = is_over ? take(handle_) : nullptr;
    answer();
    return true;
}

/// Completes the user's request.
void Request::answer() const
{
    const bool failed = execution_->error() != MPI_SUCCESS;
    if (failed) expect_error();
    static char nothing = 0;
    const int length = failed ? 1 : 0;
    MPI_Request sent = MPI_REQUEST_NULL;
    const int code =
        PMPI_Isend(&nothing, length, MPI_BYTE, world_.rank(), answer_tag_, world_.handle(), &sent);
    if (code != MPI_SUCCESS || real::Request_free(&sent) != MPI_SUCCESS)
        PMPI_Abort(MPI_COMM_SELF, code);
}

/// To be called when the answer will be an error, and raise the operation's error.
void Request::expect_error() const
{
    static const MPI_Errhandler handler = [] {
        MPI_Errhandler made = MPI_ERRHANDLER_NULL;
        PMPI_Comm_create_errhandler(raise, &made);
        return made;
    }();
    const std::scoped_lock lock(all().mutex);
    all().failures.emplace(world_.handle(), Failure{hold_.another(), user_, execution_->error()});
    PMPI_Comm_set_errhandler(world_.handle(), handler);
}

/// Goes on with operations under way; the library calls it in its progress. Each look for messages of ours is
/// progress of the library again: of many operations that wait, some have their turn.
int Request::carry_on()
{
    constexpr int waiting_at_most = 4;
    All& now = all();
    int ended = or_end(Duplicates::carry_on), waiting = 0;
    if (now.any_active.load(std::memory_order_relaxed) == 0) return ended;
    std::unique_lock lock(now.mutex, std::try_to_lock);
    if (!lock) return ended;
    for (std::size_t left = now.active.size(); left > 0 && waiting < waiting_at_most; --left) {
        if (now.active.empty()) break;
        // The request is taken off, so that no other thread goes on with it; once it has ended it may be freed.
        const std::size_t at = now.next % now.active.size();
        Request* const one = now.active[at];
        now.active.erase(now.active.begin() + static_cast<std::ptrdiff_t>(at));
        lock.unlock();
        const bool done = or_end([&] { return one->has_ended(); });
        lock.lock();
        now.next = std::min(at, now.active.size());
        if (done) {
            ++ended;
        } else {
            ++waiting;
            now.active.insert(now.active.begin() + static_cast<std::ptrdiff_t>(now.next++), one);
        }
    }
    now.any_active.store(now.active.size(), std::memory_order_relaxed);
    lock.unlock();
    throw_what_is_kept();
    return ended;
}

int Request::start(int count, MPI_Request* handles)
{
    const int code = count == 1 ? real::Start(handles) : real::Startall(count, handles);
    if (code != MPI_SUCCESS || all().any_known.load(std::memory_order_relaxed) == 0) return code;
    for (int index = 0; index < count; ++index)
        if (Request* const its = find(handles + index)) or_end([&] { its->start(); });
    throw_what_is_kept();
    return MPI_SUCCESS;
}

int Request::free(MPI_Request* handle)
{
    Request* const its = find(handle);
    if (!its) return real::Request_free(handle);
    if (!its->persistent_ || its->active_) return refused(raised_on(its->hold_, its->user_));
    const auto mine = take(*handle);
    return real::Request_free(handle);
}

int Request::cancel(MPI_Request* handle)
{
    const Request* const its = find(handle);
    return its ? refused(raised_on(its->hold_, its->user_)) : real::Cancel(handle);
}

bool Request::are_possible()
{
    return real::is_taken("PMPI_Start") && progress::carries_on(carry_on);
}

}  // namespace laneway
