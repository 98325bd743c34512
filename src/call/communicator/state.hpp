// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "call/agree/agreement.hpp"
#include "call/agree/early_calls.hpp"
#include "call/communicator/kept_lengths.hpp"
#include "call/communicator/lifetime.hpp"
#include "call/communicator/mapping.hpp"
#include "call/communicator/meeting.hpp"
#include "call/communicator/repeated.hpp"
#include "call/communicator/weighing.hpp"
#include "call/front/member.hpp"
#include "call/learn/learning.hpp"
#include "call/sound/borrowed_errors.hpp"
#include "decomposition/decomposition.hpp"
#include "report/report.hpp"

namespace laneway {

/// Laneway's knowledge of a communicator of the user's.
class State : public Lifetime {
public:
    /// The state of `comm`, which does not end; made at its first collective call, where its processes begin to agree
    /// on the settings. Waits for nobody. `may_be_served`: by the calling process's own an algorithm may serve that
    /// call.
    static State& of(MPI_Comm comm, bool may_be_served);

    /// To be called before processes duplicate `comm` without waiting: an agreement that they have not begun by then
    /// begins now. Otherwise it would begin in the middle of the duplication, and some libraries do not keep the two
    /// apart. Waits for nobody.
    static void agree_before_duplicate(MPI_Comm comm);

    /// The state of `comm` if it has one. Local.
    static State* existing(MPI_Comm comm);

    /// Whether the processes have not agreed on settings yet: all calls are native.
    bool is_open() const { return agreement_ != nullptr; }
    /// Whether they have not, and this process waits for them in a call that is not early and that `may_be_served` by
    /// its own settings.
    bool waits(bool may_be_served) const
    {
        return is_open() && (agreement_->waits_at_once() || may_be_served);
    }
    /// Whether the processes have agreed on settings, in this call or before. Collective where it `waits` or
    /// they `all_meet` in this call, else local (see Agreement).
    bool settled(bool waits, bool all_meet);

    const EarlyCalls& early_calls() const { return early_calls_; }
    /// Counts a call of `bytes`. True: it is early.
    bool count_call(std::int64_t bytes);

    /// To be called when the communicator is about to be freed.
    void finish_agreement()
    {
        if (is_open()) agreement_->finish();
    }

    /// Why nothing but native may serve here, in words; null: other algorithms may.
    const char* native_because() const { return native_because_; }

    /// The rules of the settings for this communicator and calls of that form; null: native, always. The first call for
    /// any form is collective (unless the communicator is prepared). The conditions for it are collective, too: a rule
    /// that could choose another algorithm.
    const Selector* selector(Scope form = Scope::user);

    /// Whether that first call is still to come.
    bool selector_is_collective() const
    {
        return selectors_.empty() && !native_because_ && settings_->rules().matter();
    }

    /// The calling process in the communicator.
    Member member() const { return member_; }

    /// The parts of the communicator; made at the first call that wants one, collectively.
    /// Null, on all ranks, where they cannot be made: no_parts_because() says why; for good if native_because() does.
    Parts* parts();
    const char* no_parts_because() const
    {
        return native_because_ ? native_because_ : no_parts_because_;
    }

    /// Whether on some communicator of this process settings hold that choose something for nonblocking or
    /// persistent calls. Else all of these are native, which is all that is to be known of them.
    static bool any_chooses_forms() { return any_chooses_forms_.load(std::memory_order_relaxed); }

    /// Whether some rule for calls of that form may choose another algorithm than native; before the agreement: by
    /// this process's own settings.
    bool rules_matter(Scope form) const { return settings().rules().matter(form); }

    /// Does all that is collective in serving: nonblocking calls may be served from then on. Collective;
    /// `carries_on`: this process's library carries on operations under way.
    void prepare(bool carries_on);
    /// As prepare(), where settings choose something here for calls that must find it done.
    void prepare_where_offered(bool carries_on)
    {
        if (!may_have_to_be_prepared()) return;
        selector();  // finds the shape, by which rules hold
        if (may_have_to_be_prepared()) prepare(carries_on);
    }
    /// Whether the settings choose something for calls that must find it done, here as far as is known, and it is not.
    /// Communicators that may never see a nonblocking call are left alone until they do.
    bool may_have_to_be_prepared() const
    {
        if (is_prepared_ || native_because_) return false;
        if (!(selectors_.empty() ? rules_matter(Scope::nonblocking) : offers_nonblocking_))
            return false;
        return sees_nonblocking_ || comm_ == MPI_COMM_WORLD || settings().prepares_at_once();
    }
    /// To be called for each nonblocking collective. It counts once all processes have agreed on settings, and so on
    /// all alike, as the calls on a communicator come in one order.
    void see_nonblocking() { sees_nonblocking_ = sees_nonblocking_ || !is_open(); }
    bool is_prepared() const { return is_prepared_; }
    /// Whether on all processes the library carries on operations under way. Known once prepared.
    bool carries_on() const { return carries_on_; }

    bool is_inter() const { return is_inter_; }

    /// The settings; those of the calling process alone until all have agreed on them.
    const Settings& settings() const { return settings_ ? *settings_ : *Settings::own(); }
    /// Whether there can be a reduction here, and it is to be reproducible.
    bool is_to_be_reproducible() const
    {
        return settings().reproducible() && (is_inter_ || member_.size > 1);
    }

    /// Whether calls are served natively and timed.
    bool advises() const { return settings_ && settings_->advises(); }
    Meeting& meeting() { return meeting_; }
    /// The report's facts about the communicator; null: no report is wanted.
    const ReportedComm* reported() const { return reported_.get(); }

    /// Whether some process uses accelerators: then only algorithms that touch the user's memory through MPI calls
    /// alone may serve. Asked as late as can be, since programs load what they need when they need it:
    /// the first call is collective, all others local.
    bool devices();

    /// The learning of which way serves calls best; null: nothing is learnt here. The first call is collective.
    Learning* learning();
    /// The learning, where it has begun. Local.
    Learning* begun_learning() { return learning_.get(); }

    /// To be called after a call that was served by lanes, and of which all processes know the bytes. Has weights of
    /// lanes found, where somebody wants that, and reported. Collective now and then.
    void weigh(const Facts& facts, Message message);

    /// Short calls that were served within a node.
    Repeated& repeated() { return repeated_; }
    /// Lengths of blocks that processes have told each other.
    AllKeptLengths& kept_lengths() { return kept_lengths_; }

    const char* served_by = "native";  ///< name of the latest call's algorithm, in the registry

private:
    State(MPI_Comm comm, std::shared_ptr<const Settings> agreed, bool may_be_served);
    static State& make(MPI_Comm comm, std::shared_ptr<const Settings> agreed, bool may_be_served);

    void give_back() override { errors_.reset(); }
    void take_settings(std::shared_ptr<const Settings> agreed);
    void find_whereabouts_once();
    Shape shape() const;
    void find_place();
    void begin_weighing();
    void report_weights() const;

    MPI_Comm comm_;
    Member member_{};
    bool is_inter_ = false;
    EarlyCalls early_calls_;
    const char* native_because_ = nullptr;
    const char* no_parts_because_ = nullptr;
    std::unique_ptr<Agreement> agreement_;  ///< null: it is reached, or there is none to reach
    std::shared_ptr<const Settings> settings_;
    std::optional<bool> devices_;
    std::optional<BorrowedErrors> errors_;
    /// Found by the first call that may be served by another algorithm than native.
    Whereabouts whereabouts_;
    std::vector<Selector> selectors_;  ///< one for each form
    bool offers_nonblocking_ = false;  ///< some rule of the nonblocking form does
    static inline std::atomic<bool> any_chooses_forms_ = false;
    bool sees_nonblocking_ = false;
    bool is_prepared_ = false;
    bool carries_on_ = false;
    std::unique_ptr<ReportedComm> reported_;
    Meeting meeting_;
    std::unique_ptr<Parts> parts_;
    std::unique_ptr<Learning> learning_;  ///< uses the layout of the parts
    std::unique_ptr<Weighing> weighing_;  ///< uses the parts
    Repeated repeated_;                   ///< uses the parts
    AllKeptLengths kept_lengths_;
};

/// The calling process in a communicator. Local.
Member member_of(MPI_Comm comm);

/// The report's facts about a communicator where its processes may not agree on anything, as in a call
/// that must return at once. They are its state's if it has one, else those known here. Local.
ReportedComm reported_of(MPI_Comm comm);

}  // namespace laneway
