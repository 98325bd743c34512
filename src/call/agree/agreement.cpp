// SPDX-License-Identifier: BSD-3-Clause
#include "call/agree/agreement.hpp"

#include <array>
#include <atomic>
#include <climits>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "call/agree/agreed.hpp"
#include "call/agree/ballots.hpp"
#include "call/agree/end_job.hpp"
#include "library/error.hpp"
#include "library/real.hpp"
#include "machine/node.hpp"
#include "text/text.hpp"

namespace laneway {
namespace {

/// Not held while MPI is called: a library may hold a lock of its own while it deletes an agreement.
std::mutex under_way_mutex;
/// The agreements whose request is not complete.
std::set<Agreement*>& under_way()
{
    static auto* const agreements = new std::set<Agreement*>;  // MPI may end after our destructors
    return *agreements;
}

/// The agreements that a thread tests just now. That thread may delete them meanwhile.
std::map<const Agreement*, std::thread::id>& in_test()
{
    static auto* const agreements = new std::map<const Agreement*, std::thread::id>;
    return *agreements;
}

/// Facts that must be known of all processes where their settings differ.
struct Findings {
    std::int64_t wrong;   ///< lowest rank whose settings cannot be understood; past all ranks: none
    std::int64_t strict;  ///< -1: some process asks for LANEWAY_STRICT
    std::int64_t least_lanes, most_lanes;  ///< lanes that were found on nodes; the latter negative
    std::int64_t said, said_by_another;    ///< least and, negative, greatest digest of settings

    bool is_said_by_all() const { return said == ~said_by_another; }
};
Findings findings(const Settings& own, int rank, MPI_Comm comm)
{
    const auto said = static_cast<std::int64_t>(own.digest_of_what_is_said());
    const Findings mine{own.error().empty() ? INT_MAX : rank,
                        own.strict() ? -1 : 0,
                        own.looked_for_lanes() ? own.found_lanes() : INT_MAX,
                        own.looked_for_lanes() ? -own.found_lanes() : INT_MAX,
                        said,
                        ~said};
    Findings all{};
    constexpr int numbers = sizeof mine / sizeof(std::int64_t);
    check_raised(real::Allreduce(&mine, &all, numbers, MPI_INT64_T, MPI_MIN, comm));
    return all;
}

std::string text_of(int root, std::string text, MPI_Comm comm)
{
    int length = static_cast<int>(text.size());
    check_raised(real::Bcast(&length, 1, MPI_INT, root, comm));
    text.resize(static_cast<std::size_t>(length));
    check_raised(real::Bcast(text.data(), length, MPI_CHAR, root, comm));
    return text;
}

constexpr const char* different = "the LANEWAY_* settings differ between processes (profiles, too)";

/// How the settings differ, and the consequence, in words. Empty where they are all the same but for what Laneway
/// brings: jobs that one another has started may have found other cores.
std::string in_words(const Findings& found)
{
    const std::int64_t most = -found.most_lanes;
    if (found.is_said_by_all() && found.least_lanes >= most) return "";
    if (!found.is_said_by_all())
        return std::string(different) +
               "; where they do, those of rank 0 of a communicator hold on it";
    const std::string least = std::to_string(found.least_lanes);
    return "nodes have " + least + " to " + std::to_string(most) +
           " network lanes; on communicators of both " + least +
           " count, unless you say how many (--lanes)";
}

/// The beginning of a complaint where settings differ, and the calling process's cannot be understood.
std::string in_words(int rank)
{
    std::array<char, MPI_MAX_PROCESSOR_NAME> host{};
    int length = 0;
    check(PMPI_Get_processor_name(host.data(), &length));
    return std::string(different) + "; on rank " + std::to_string(world_rank().value_or(rank)) +
           ", " + host.data() + ": ";
}

/// Says, once a process, `what` cannot be understood, and the consequence. Empty: another process says it.
void complain(const std::string& what, bool strict)
{
    static Remark complaint;
    if (what.empty())
        complaint.begins();  // another process says it, and this one not again
    else
        complaint.say([&] {
            return what +
                   (strict ? "; the job ends (LANEWAY_STRICT)" : "; everything is served natively");
        });
}

/// Says, once a process, the settings' remarks on profiles.
void say_remarks(const Settings& settings)
{
    static Remark differences;
    const auto remarks = settings.remarks();
    if (remarks.empty() || !differences.begins()) return;
    for (const std::string& each : remarks) say(each);
}

int rank_in(MPI_Comm comm)
{
    int rank = 0;
    check_raised(PMPI_Comm_rank(comm, &rank));
    return rank;
}

std::atomic<bool> all_wait = true;

bool must_wait(MPI_Comm comm, const Settings& own, bool may_be_served)
{
    return all_wait || !own.error().empty() || own.reports() || own.advises() ||
           (may_be_served && own.patience(comm == MPI_COMM_WORLD) == 0);
}

}  // namespace

void Agreement::may_be_left_under_way() { all_wait = false; }

Agreement::Agreement(MPI_Comm comm, std::shared_ptr<const Settings> own, bool may_be_served)
    : comm_(comm),
      settings_(std::move(own)),
      mine_(ballot_of(*settings_, must_wait(comm, *settings_, may_be_served)))
{
    check_raised(real::Allreduce.nonblocking(&mine_, &all_, sizeof mine_, MPI_BYTE, MPI_BAND, comm,
                                             &request_));
    const std::scoped_lock lock(under_way_mutex);
    under_way().insert(this);
}

Agreement::~Agreement() { finish(); }

int Agreement::finish()
{
    std::unique_lock lock(under_way_mutex);
    await_tests(lock);
    MPI_Request request = take();
    lock.unlock();
    return real::Wait(&request, MPI_STATUS_IGNORE);  // returns at once for a null request
}

/// Waits while another thread tests this agreement.
void Agreement::await_tests(std::unique_lock<std::mutex>& lock) const
{
    const auto is_tested = [this] {
        const auto found = in_test().find(this);
        return found != in_test().end() && found->second != std::this_thread::get_id();
    };
    while (is_tested()) {
        lock.unlock();
        std::this_thread::yield();
        lock.lock();
    }
}

/// The request, which is the caller's from now on: this agreement may be deleted while it completes. Under the lock.
MPI_Request Agreement::take()
{
    under_way().erase(this);
    return std::exchange(request_, MPI_REQUEST_NULL);
}

/// As take(); the agreement is in_test() from now on.
MPI_Request Agreement::take_to_test()
{
    in_test()[this] = std::this_thread::get_id();
    return take();
}

/// `done`: all processes have begun the agreement. Waits for nobody. Returns an MPI error code.
int Agreement::test(bool& done)
{
    std::unique_lock lock(under_way_mutex);
    await_tests(lock);
    const MPI_Request taken = take_to_test();
    lock.unlock();
    return test(taken, done);
}

/// As test(done), for a request that take_to_test() gave.
int Agreement::test(MPI_Request taken, bool& done)
{
    int completed = 0;
    const int code = real::Test(&taken, &completed, MPI_STATUS_IGNORE);
    done = completed || code != MPI_SUCCESS;  // and this agreement may be deleted
    const std::scoped_lock lock(under_way_mutex);
    in_test().erase(this);
    if (done) return code;
    request_ = taken;
    under_way().insert(this);
    return code;
}

void Agreement::finish_all()
{
    for (bool done = true;;) {
        if (!done) std::this_thread::yield();
        std::unique_lock lock(under_way_mutex);
        if (under_way().empty()) return;
        Agreement* const one = *under_way().begin();
        const MPI_Request taken = one->take_to_test();
        lock.unlock();
        one->test(taken, done);
    }
}

void Agreement::finish_for_good()
{
    all_wait = true;
    finish_all();
}

Agreement::Outcome Agreement::reach(bool waits, bool all_meet)
{
    if (!waits && !all_meet) {
        if (has_arrived_.load(std::memory_order_relaxed)) return Outcome::later;
        bool done = false;
        check_raised(test(done));  // requests are best not left lying about
        if (done) has_arrived_.store(true, std::memory_order_relaxed);
        return Outcome::later;
    }
    check_raised(finish());
    if (!(all_.flags & LANEWAY_HAS_CORE)) return Outcome::native;
    if (is_unanimous() || all_meet || (all_.flags & LANEWAY_WAITS)) return settle();
    if (!settings_->error().empty()) {  // this is sure without the others
        complain(in_words(rank_in(comm_)) + settings_->error(), settings_->strict());
        if (settings_->strict()) end_job(comm_);
    }
    return Outcome::later;
}

/// Settles the agreement in a call that all processes are in.
Agreement::Outcome Agreement::settle()
{
    static Remark difference;
    const int rank = rank_in(comm_);
    int speaker = 0;
    bool strict = settings_->strict();
    std::string how_they_differ;
    if (!is_unanimous()) {
        const Findings found = findings(*settings_, rank, comm_);
        if (found.wrong != INT_MAX) speaker = static_cast<int>(found.wrong);
        strict = found.strict != 0;
        how_they_differ = in_words(found);
        const auto lanes = static_cast<int>(found.least_lanes);
        settings_ = std::make_shared<const Settings>(
            text_of(speaker, settings_->text_with_found_lanes(lanes), comm_));
    }
    if (settings_->error().empty()) {
        settings_ = Settings::with_binding(settings_, binding_by(all_, settings_->lanes()));
        if (is_unanimous() && (all_.flags & LANEWAY_IN_ONE_ORDER))
            remember_agreed(comm_, settings_);
        if (rank == speaker) say_remarks(*settings_);
        if (!how_they_differ.empty() && rank == speaker)
            difference.say([&] { return how_they_differ; });
        return Outcome::settled;
    }
    complain(rank == speaker ? (is_unanimous() ? "" : in_words(rank)) + settings_->error() : "",
             strict);
    if (strict) {
        if (rank != speaker) check_raised(real::Barrier(comm_));  // the others wait for their end
        end_job(comm_);
    }
    return Outcome::settled;
}

}  // namespace laneway
