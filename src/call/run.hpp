// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "call/again.hpp"
#include "call/course.hpp"
#include "call/enter.hpp"
#include "call/front/data.hpp"
#include "call/request.hpp"
#include "call/told.hpp"
#include "decomposition/perform.hpp"
#include "library/error.hpp"

namespace laneway {

/// The way of a blocking call, once the communicator's state is known.
template <class Front>
class BlockingCall : Course<Front> {
    using Course<Front>::state_, Course<Front>::front_, Course<Front>::count,
        Course<Front>::is_acceptable, Course<Front>::is_sound, Course<Front>::rejected;
    using Course<Front>::reported_as_a_whole;
    using typename Course<Front>::Call;

public:
    /// `name`: the algorithm, as in the C API; null: as the settings choose.
    BlockingCall(State& state, const Front& front, std::optional<bool> sound, const char* name)
        : Course<Front>(state, front, name_of_front<Front>(), sound),
          name_(name)
    {
    }

    /// Returns an MPI error code, or throws Error.
    int go()
    {
        return reported_as_a_whole([&] {
            state_.served_by = "native";
            named_ = named_in_call(collective_of<Call>, name_);
            End end = agree();         // collective where a rule may choose something
            if (!end) end = advise();  // collective
            if (!end) end = stay_native();
            if (!end) end = pass_early();
            prepares_ = !end && prepares_nonblocking();
            if (!end) end = pass_what_nothing_serves();
            if (!end) end = prepare();  // collective
            if (!end) end = select();   // collective in the first call
            if (!end) end = judge();
            if (!end) end = serve();  // collective in the first call that is served
            return *end;
        });
    }

private:
    /// The end of the call, as MPI error code; empty: the next step is to be taken.
    using End = std::optional<int>;

    End agree()
    {
        is_early_ = state_.early_calls().are_counted() && !state_.is_inter() && is_sound() &&
                    counted_as_early() && !name_;
        if (!state_.is_open() || settled()) return {};
        return left("settings that the processes have not agreed on yet");
    }

    End advise()
    {
        if (!state_.advises()) return {};
        return is_sound() ? timed() : natively(rejected);
    }

    End stay_native()
    {
        const char* const why = state_.native_because();
        return why ? left(why) : End();
    }

    End pass_early()
    {
        if (!is_early_ || !state_.early_calls().are_counted_alike()) return {};
        return left("one of the communicator's first calls: LANEWAY_PATIENCE");
    }

    /// Ends calls that no rule could serve, or that the library rejects on this rank alone, before anything else that
    /// is collective.
    End pass_what_nothing_serves()
    {
        const bool is_first = state_.selector_is_collective();
        const bool asks_rules = is_first && !name_ && !prepares_;
        if (asks_rules && !may_be_served<Call>(state_.settings(), Scope::user))
            return natively(not_chosen(false));
        if (prepares_ || is_first ? !is_sound() : !is_acceptable()) return natively(rejected);
        if (asks_rules && !this->may_be_served(Scope::user)) return natively(not_chosen(true));
        return {};
    }

    End prepare()
    {
        if (prepares_) state_.prepare_where_offered(Request::are_possible());
        return {};
    }

    End select()
    {
        selector_ = name_ ? nullptr : state_.selector();
        const bool offers = selector_ && selector_->offers(collective_of<Call>);
        // Where something is learnt, times are brought together in calls of the library's in which all meet, too.
        const bool meets = all_meet_with_data<Call> && state_.settings().learns();
        const bool goes_on = name_ || offers || state_.reported() || meets;
        return goes_on ? End() : front_.by(front_.library);
    }

    End judge()
    {
        if (!is_sound()) return natively(rejected);
        facts_ = this->facts();
        return facts_ ? End() : left("data that have no wire form");
    }

    /// Whether the processes agree on settings in this call at the latest. Where the library will reject the call
    /// on this rank alone, this rank must not wait for the others.
    bool settled() const
    {
        const bool waits = state_.waits(!is_early_ && this->may_be_served(Scope::user));
        if (!waits && !name_ && !all_meet<Call>) return state_.settled(false, false);
        return is_sound() && state_.settled(waits, name_ || meets());
    }

    /// Whether nonblocking calls are still to be prepared, and all processes are here, or wait for each other as they
    /// are to.
    bool prepares_nonblocking() const
    {
        return state_.may_have_to_be_prepared() &&
               (state_.settings().prepares_at_once() || all_wait_in_it());
    }

    /// Counts the call; true: it is an early one.
    bool counted_as_early() const
    {
        const std::optional<Facts> facts = front_.facts(state_.member());
        return state_.count_call(facts ? std::max<std::int64_t>(facts->bytes, 0) : 0);
    }

    /// Whether all processes wait for each other in this call. (Not for the agreement in the first one, which has only
    /// begun it.)
    bool meets() const { return !state_.early_calls().is_first() && all_wait_in_it(); }
    bool all_wait_in_it() const
    {
        if constexpr (std::is_same_v<Call, Barrier>)
            return true;
        else if constexpr (all_meet<Call>)
            return front_.data.count > 0;
        else
            return false;
    }

    End serve()
    {
        const Chosen chosen = chosen_by(named_, selector_, collective_of<Call>, *facts_);
        Learning* const learning = learns() ? state_.learning() : nullptr;
        if (!learning) return served(chosen);
        const auto turn = learning->turn(Scope::user, collective_of<Call>, *facts_, chosen.rule,
                                         all_meet_with_data<Call>);
        const End end = turn ? served_in(*turn, chosen) : served(chosen);
        if (all_meet_with_data<Call>) learning->bring_together();
        return end;
    }

    bool learns() const { return !name_ && this->may_learn(*facts_); }

    End served_in(const Learning::Turn& turn, const Chosen& chosen)
    {
        const Learning::Timed timed(turn);
        return served(this->chosen_in(turn, chosen));
    }

    End served(const Chosen& chosen)
    {
        const Facts& facts = *facts_;
        if (!chosen.algorithm) return natively(chosen.why);
        if (facts.count == 0) {
            // The call takes no turn: the library may reject such a call on another process.
            count("native", "no data: done at once");
            return MPI_SUCCESS;
        }
        if (reduces<Call> && state_.devices()) return left("accelerators are in use");
        Parts* const parts = state_.parts();
        if (!parts) return left(state_.no_parts_because());
        state_.prepare_where_offered(Request::are_possible());
        const Decomposition on(*parts, chosen.rule ? chosen.rule->components.get() : nullptr);
        const auto server = fitting(chosen, facts, on);
        this->count_as_served_by(server, chosen, facts, on);
        if (!server.algorithm) return front_.by(front_.library);
        return carry_out(*server.algorithm, server.tunables, *parts, on);
    }

    int carry_out(const Algorithm& algorithm, const Tunables& tunables, Parts& parts,
                  const Decomposition& on)
    {
        if (algorithm.may_call_library(*facts_) || chooses_components(algorithm))
            parts.make_communicators();
        // Which calls are served again is each process's own affair; those that are learnt are counted by all.
        if constexpr (!is_vector<Call>)
            if (name_ || !state_.settings().learns())
                keep_for_repeats(state_, name_, algorithm, tunables, front_, on, facts_->bytes);
        typename Front::Wired wired(front_, on.world);
        if constexpr (has_to_be_told<Call>) tell(algorithm.tells(tunables), wired, on);
        on.world.next_turn();
        try {
            perform(algorithm, wired.call(), on, tunables, wired.packings());
        } catch (const NoTags& none) {
            this->take_count_back();
            return left(none.what());
        }
        if (!is_vector<Call> && !algorithm.flat) state_.weigh(*facts_, Call::message);
        return MPI_SUCCESS;
    }

    /// Has the processes tell each other lengths. Collective.
    void tell(const Circle& circle, Front::Wired& wired, const Decomposition& on)
        requires has_to_be_told<Call>
    {
        if (circle.told == Told::nobody) return;
        Lengths lengths = wired.lengths();
        KeptLengths& kept = state_.kept_lengths().of(collective_of<Call>, circle, lengths.root);
        Telling telling(std::move(lengths), circle, on);
        telling.carry_out(kept);
        hear(wired, telling);
    }

    /// Whether settings name components of an algorithm that is not recorded, perhaps native ones.
    bool chooses_components(const Algorithm& algorithm) const
    {
        const Rules& rules = state_.settings().rules();
        return !algorithm.flat && !algorithm.concurrent &&
               (rules.matter(Scope::node) || rules.matter(Scope::lane));
    }

    /// Leaves the call to the library, whatever is chosen.
    int left(std::string_view why) const
    {
        this->say_left(why);
        return natively(why);
    }

    int natively(std::string_view why) const
    {
        count("native", why);
        return front_.by(front_.library);
    }

    int timed() const
    {
        this->say_left("advising");
        const double waited = state_.meeting().meet(front_.comm);
        const double began = PMPI_Wtime();
        const int code = front_.by(front_.library);
        count("native", "advising", {.waited = waited, .seconds = PMPI_Wtime() - began});
        return code;
    }

    const char* const name_;
    std::optional<Chosen> named_;
    bool is_early_ = false;
    bool prepares_ = false;  ///< nonblocking calls, in this call
    const Selector* selector_ = nullptr;
    std::optional<Facts> facts_;
};

/// A call: `algorithm` as in the C API; null: as the settings choose.
template <class Front>
int run(const char* algorithm, MPI_Comm comm, const Front& front)
{
    const auto native = [&] { return front.by(front.library); };
    return enter(name_of_front<Front>(), comm, native, [&]() -> int {
        State* const known = State::existing(comm);
        if constexpr (!is_vector<typename Front::Call>)
            if (known && served_again(*known, algorithm, front)) return MPI_SUCCESS;
        std::optional<bool> sound;
        State* state = known ? known
                             : state_for(
                                   comm, [&](Member me) { return *(sound = is_sound(front, me)); },
                                   [&](Member me) {
                                       return algorithm || may_be_served(*Settings::own(), front,
                                                                         me, Scope::user);
                                   });
        return state ? BlockingCall<Front>(*state, front, sound, algorithm).go() : native();
    });
}

}  // namespace laneway
