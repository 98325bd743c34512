// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "call/course.hpp"
#include "call/duplicates.hpp"
#include "call/enter.hpp"
#include "call/request.hpp"
#include "call/run.hpp"
#include "call/timed.hpp"

namespace laneway {

/// Why calls of that form are the library's where nothing else is chosen.
constexpr const char* left(Scope form)
{
    return form == Scope::persistent ? "persistent: left to the library, however often it starts"
                                     : "nonblocking: left to the library";
}

constexpr const char* not_decomposed = "nonblocking, and the communicator is not decomposed yet";

/// Counts a call that is made natively, without looking at it.
inline void count_left(MPI_Comm comm, const char* name, std::string_view why)
{
    if (Report* const report = Report::own())
        report->count(reported_of(comm), {name, -1, "native", why});
}

/// The way of a nonblocking call, and of the initialisation of a persistent one. A call that returns at once must
/// wait for nobody: it is served where nothing that is collective is left to be done. An initialisation may wait (MPI
/// 4.0, Section 6.13): it takes part in the agreement on settings as blocking calls do, and makes the parts.
template <class Front>
class Beginning : Course<Front> {
    using Course<Front>::state_, Course<Front>::front_, Course<Front>::count,
        Course<Front>::is_sound, Course<Front>::rejected;
    using typename Course<Front>::Call;

public:
    Beginning(State& state, const Front& front, Scope form, const char* name,
              std::optional<bool> sound)
        : Course<Front>(state, front, name, sound),
          form_(form),
          persistent_(form == Scope::persistent)
    {
    }

    /// The call's turn, where ways of serving it are learnt; known once it has gone.
    const std::optional<Learning::Turn>& turn() const { return turn_; }

    /// The part of a persistent call in which processes meet.
    void agree() { settled(false); }

    /// True: the call has begun as `request`. False: it is to be begun natively. Throws Error.
    bool go(const char* algorithm, MPI_Request* request)
    {
        state_.served_by = "native";
        const auto named = named_in_call(collective_of<Call>, algorithm);
        const bool open = persistent_ ? !settled(algorithm != nullptr) : state_.is_open();
        if (!algorithm && !state_.rules_matter(form_)) return natively_unseen(left(form_));
        if (open) return left_to_library("settings that the processes have not agreed on yet");
        if (const char* const why = state_.native_because()) return left_to_library(why);
        if (persistent_ && !is_sound()) return natively(rejected);
        if (const char* const why = unready(algorithm != nullptr)) return left_to_library(why);
        if (!is_sound()) return natively(rejected);
        const std::optional<Facts> facts = this->facts();
        if (!facts) return left_to_library("data that have no wire form");
        auto chosen = chosen_by(named, state_.selector(form_), collective_of<Call>, *facts);
        if (!named) take_turn(chosen, *facts);
        if (turn_) chosen = this->chosen_in(*turn_, chosen);
        if (!chosen.algorithm) return natively(chosen.why);
        const Decomposition on(*state_.parts(),
                               chosen.rule ? chosen.rule->components.get() : nullptr);
        try {
            std::unique_ptr<Request> made;
            if (facts->count == 0) {
                // Libraries may take types of one signature for different calls, even without data.
                made = std::make_unique<EmptyRequest>(state_, front_.comm, on, persistent_);
                count("native", "no data: done at once");
            } else {
                const auto server = fitting(chosen, *facts, on);
                if (server.algorithm)
                    made = std::make_unique<RequestOf<Front>>(state_, front_, *server.algorithm,
                                                              server.tunables, on, persistent_);
                this->count_as_served_by(server, chosen, *facts, on);
                if (!made) return false;
            }
            Request::begin(std::move(made), request);
            return true;
        } catch (const NoTags& none) {
            return left_to_library(none.what());
        }
    }

private:
    /// Whether the processes have agreed on settings, in this initialisation at the latest where they choose something
    /// for it.
    bool settled(bool is_named)
    {
        if (!state_.is_open()) return true;
        const bool waits = state_.waits(is_named || this->may_be_served(form_));
        // Nor does the call make progress where it does not wait: on Open MPI, an idup under way bears none here.
        if (!(waits || is_named) || !is_sound()) return false;
        Duplicates::finish(front_.comm);
        return state_.settled(waits, is_named);
    }

    /// Why nothing but native can serve, as all processes know; null: other algorithms can.
    const char* unready(bool is_named)
    {
        if (persistent_ && !state_.is_prepared()) {
            if (!is_named && !this->may_be_served(form_)) return "no rule fits";
            Duplicates::finish(front_.comm);
            const Selector* const selector = is_named ? nullptr : state_.selector(form_);
            if (selector && !selector->offers(collective_of<Call>)) return "nothing else is chosen";
            state_.prepare(Request::are_possible());
            if (const char* const why = state_.native_because()) return why;
        }
        if (!state_.is_prepared()) return persistent_ ? state_.no_parts_because() : not_decomposed;
        if (!state_.carries_on()) return "this MPI library would not carry it on";
        if (reduces<Call> && state_.devices()) return "accelerators are in use";
        return nullptr;
    }

    /// Processes prepare alike, so all or none learn from then on.
    void take_turn(const Chosen& chosen, const Facts& facts)
    {
        Learning* const learning = this->may_learn(facts) ? state_.begun_learning() : nullptr;
        if (learning)
            turn_ = learning->turn(form_, collective_of<Call>, facts, chosen.rule,
                                   all_meet_with_data<Call>);
    }

    /// Leaves the call to the library. Returns false.
    bool left_to_library(std::string_view why) const
    {
        this->say_left(why);
        return natively(why);
    }
    bool natively(std::string_view why) const
    {
        if (!state_.reported()) return natively_unseen(why);
        count("native", why);
        return false;
    }
    bool natively_unseen(std::string_view why) const
    {
        count_left(front_.comm, this->name(), why);
        return false;
    }

    const Scope form_;
    const bool persistent_;
    std::optional<Learning::Turn> turn_;
};

/// The call that has begun as `request` took `seconds` to begin. The time of its end belongs to its turn, too.
inline void learn_from(const Learning::Turn& turn, MPI_Request request, double seconds)
{
    using Part = TimedRequests::Part;
    TimedRequests::add(request, [turn, seconds](double more, Part part) mutable {
        seconds += more;
        if (part == Part::end) turn.took(seconds);
    });
}

/// A nonblocking call, or, as `form` says, a persistent one: `algorithm` is a name from the registry; null:
/// as the settings choose. Returns an MPI error code.
template <class Front>
int begin(const char* algorithm, const Front& front, Scope form, MPI_Info info,
          MPI_Request* request)
{
    const bool persistent = form == Scope::persistent;
    static const std::string names[]{name_of({name_of_front<Front>(), Scope::nonblocking}),
                                     name_of({name_of_front<Front>(), Scope::persistent})};
    const char* const name = names[persistent].c_str();
    const auto native = [&] {
        return persistent ? front.by(front.library.persistent, info, request)
                          : front.by(front.library.nonblocking, request);
    };
    return enter(name, front.comm, native, [&] {
        constexpr bool reduces_elements = reduces<typename Front::Call>;
        if (!persistent && !algorithm && !State::any_chooses_forms() && !Report::own() &&
            !(reduces_elements && is_reproducible_asked_for()))
            return native();
        const bool advising = !algorithm && is_advice_asked_for();
        const Decision decision{name, -1, "native", "advising"};
        const auto described = [&](Decision& its) {
            int inter = 0;
            check_raised(PMPI_Comm_test_inter(front.comm, &inter));
            describe(front, member_of(front.comm), inter != 0, its);
        };
        if (advising && !persistent) return timed(front.comm, decision, request, native, described);
        State* const known = State::existing(front.comm);
        if (known && !persistent) known->see_nonblocking();
        std::optional<bool> found;
        const auto sound = [&](Member me) { return *(found = is_sound(front, me)); };
        const auto chosen = [&](Member me) {
            return algorithm || may_be_served(*Settings::own(), front, me, Scope::persistent);
        };
        State* const state = known || !persistent ? known : state_for(front.comm, sound, chosen);
        if (advising && TimedRequests::is_watching()) {
            // Other processes may not watch, or not report: all agree, or nobody does.
            if (state) Beginning<Front>(*state, front, form, name, found).agree();
            return timed_starts(front.comm, decision, request, native, described);
        }
        if (!state) {
            count_left(front.comm, name, left(form));
            if constexpr (reduces_elements) say_not_reproducible(front.comm, name, not_decomposed);
            return native();
        }
        const double came = state->settings().learns() ? PMPI_Wtime() : 0;
        Beginning<Front> beginning(*state, front, form, name, found);
        const int code = beginning.go(algorithm, request) ? MPI_SUCCESS : native();
        if (beginning.turn() && code == MPI_SUCCESS)
            learn_from(*beginning.turn(), *request, PMPI_Wtime() - came);
        return code;
    });
}

/// Makes nonblocking calls on `comm` ready to be served. Collective. Returns an MPI error code.
inline int decompose(MPI_Comm comm)
{
    const auto nothing = []() -> int { return MPI_SUCCESS; };
    return enter("decompose", comm, nothing, [&]() -> int {
        State* const state =
            state_for(comm, [](Member) { return true; }, [](Member) { return true; });
        if (state && state->settled(true, true) && !state->native_because())
            state->prepare(Request::are_possible());
        return MPI_SUCCESS;
    });
}

}  // namespace laneway
