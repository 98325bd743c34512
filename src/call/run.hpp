// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdio>
#include <new>
#include <optional>

#include "call/again.hpp"
#include "call/communicator/entrance.hpp"
#include "call/course.hpp"
#include "call/front/data.hpp"
#include "call/request.hpp"
#include "decomposition/perform.hpp"
#include "library/error.hpp"
#include "library/users.hpp"

namespace laneway {

/// `native()` once all processes have come: the time until then is the others' lateness.
template <class Native>
int time(MPI_Comm comm, Times& times, const Native& native)
{
    const double came = PMPI_Wtime();
    check_raised(real::Barrier(comm));
    const double began = PMPI_Wtime();
    const int code = native();
    times = {.waited = began - came, .seconds = PMPI_Wtime() - began};
    return code;
}

/// The way of a blocking call: state, selection, requirements, wire form, algorithm.
template <class Front>
class Way : Course<Front> {
    using Course<Front>::state_, Course<Front>::front_, Course<Front>::count,
        Course<Front>::is_acceptable, Course<Front>::is_sound, Course<Front>::rejected;
    using Course<Front>::reported_as_a_whole;
    using typename Course<Front>::Call, typename Course<Front>::Chosen;

public:
    Way(State& state, const Front& front, std::optional<bool> sound)
        : Course<Front>(state, front, Front::Call::name, sound)
    {
    }

    /// `name`: the algorithm, as in the C API; null: as the settings choose. Returns an MPI error
    /// code, or throws Error.
    int go(const char* name, MPI_Comm comm)
    {
        return reported_as_a_whole([&] { return decide(name, comm); });
    }

private:
    int decide(const char* name, MPI_Comm comm)
    {
        state_.served_by = "native";
        const auto named = this->named(name);
        const bool early =
            state_.early_calls().are_counted() && is_sound() && counted_as_early() && !name;
        if (state_.is_open() && !settled(name, early))
            return left("settings that the processes have not agreed on yet");
        if (state_.advises()) return is_sound() ? timed(comm) : natively(rejected);
        if (const char* why = state_.native_because()) return left(why);
        if (early && state_.early_calls().are_counted_alike())
            return left("one of the communicator's first calls: LANEWAY_PATIENCE");
        const bool prepares = prepares_nonblocking();
        const bool is_first = !name && !prepares && state_.selector_is_collective();
        if (is_first && !may_choose<Call>(state_.settings(), Scope::user))
            return natively(this->not_chosen(false));
        // Before anything that is collective.
        if (prepares || state_.selector_is_collective() ? !is_sound() : !is_acceptable())
            return natively(rejected);
        if (is_first && !this->may_be_chosen(Scope::user)) return natively(this->not_chosen(true));
        if (prepares) state_.prepare_where_offered(Request::are_possible());
        const Selector* selector = name ? nullptr : state_.selector();
        const bool offers = selector && selector->offers(collective_of<Call>);
        if (!name && !offers && !state_.reported()) return front_.by(front_.library);

        if (!is_sound()) return natively(rejected);
        const std::optional<Facts> facts = this->facts();
        if (!facts) return left("data that have no wire form");
        return serve(name, this->choose(named, selector, *facts), *facts);
    }

    /// The processes agree on settings in this call at the latest. Where the library will reject it
    /// on this rank alone, it must not wait for the others.
    bool settled(const char* name, bool early) const
    {
        const bool waits = state_.waits(!early && this->may_be_chosen(Scope::user));
        if (!waits && !name && !all_meet<Call>) return state_.settled(false, false);
        return is_sound() && state_.settled(waits, name || meets());
    }

    /// Nonblocking calls are still to be prepared, and all processes are here, or wait for each other as they are to.
    bool prepares_nonblocking() const
    {
        return state_.may_have_to_be_prepared() &&
               (state_.settings().prepares_at_once() || all_wait_in_it());
    }

    /// Counts the call; true: it is an early one.
    bool counted_as_early() const
    {
        const std::optional<Facts> facts = front_.facts(state_.member());
        return state_.count_call(facts ? facts->bytes : 0);
    }

    /// All processes wait for each other in this call. (Not for the agreement in the first one, which has only
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

    /// `name`: as the call names the algorithm, if it does.
    int serve(const char* name, const Chosen& chosen, const Facts& facts)
    {
        if (!chosen.algorithm) return natively(chosen.why);
        if (facts.count == 0) {
            // It takes no turn: the library may reject such a call on another process.
            count("native", "no data: done at once");
            return MPI_SUCCESS;
        }
        if (reduces<Call> && state_.devices()) return left("accelerators are in use");
        Parts* const parts = state_.parts();
        if (!parts) return left(state_.no_parts_because());
        state_.prepare_where_offered(Request::are_possible());
        const Decomposition on(*parts, chosen.rule ? chosen.rule->components.get() : nullptr);
        const auto server = this->fitting(chosen, facts, on);
        this->serves(server, chosen, facts, on);
        const auto* const algorithm = server.algorithm;
        if (!algorithm) return front_.by(front_.library);
        if (algorithm->may_call_library(facts) || chooses_components(*algorithm))
            parts->make_communicators();
        learn(state_, name, *algorithm, server.tunables, front_, on, facts.bytes);
        const typename Front::Wired wired(front_, on.world);
        on.world.next_turn();
        try {
            perform(*algorithm, wired.call(), on, server.tunables, wired.packings());
        } catch (const NoTags& none) {
            this->take_count_back();
            return left(none.what());
        }
        return MPI_SUCCESS;
    }

    /// Settings name components of what is not recorded, perhaps native.
    bool chooses_components(const Algorithm& algorithm) const
    {
        const Rules& rules = state_.settings().rules();
        return !algorithm.flat && !algorithm.concurrent &&
               (rules.choose(Scope::node) || rules.choose(Scope::lane));
    }

    /// Whatever is chosen.
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

    int timed(MPI_Comm comm) const
    {
        this->say_left("advising");
        Times times;
        const int code = time(comm, times, [&] { return front_.by(front_.library); });
        count("native", "advising", times);
        return code;
    }
};

/// `way()`, unless the call is not the application's: then `native()`. Errors are raised once, on the
/// user's communicator. What code of the user's throws passes through. Returns an MPI error code.
template <class Native, class Way>
int enter(const char* collective, MPI_Comm comm, const Native& native, const Way& way)
{
    const Entrance entrance;
    int code = MPI_SUCCESS;
    try {
        code = comm == MPI_COMM_NULL || !entrance.outermost() ? native() : way();
    } catch (const Error& error) {
        if (!error.is_raised()) PMPI_Comm_call_errhandler(comm, error.code());
        code = error.code();
    } catch (const std::bad_alloc& none) {
        if (users::has_thrown(none)) throw;
        // The other ranks cannot know, and would wait for this one for ever.
        std::fprintf(stderr, "laneway: no memory for a temporary of %s; the job ends\n",
                     collective);
        PMPI_Abort(comm, MPI_ERR_NO_MEM);
        return MPI_ERR_NO_MEM;
    }
    if (entrance.outermost()) users::throw_what_is_kept();
    return code;
}

/// The state of `comm`, made now if it has none yet, for a call that `is_sound(member)`, and for which the process's own
/// settings `may_choose(member)`. Null where the library will reject the call on this rank alone: the others need not be
/// in a call, and begin no agreement. (An inter-communicator's root is no rank, and its processes agree on nothing.)
/// Null as well where `comm` ends.
template <class IsSound, class MayChoose>
State* state_for(MPI_Comm comm, const IsSound& is_sound, const MayChoose& may_choose)
{
    if (State* const known = State::existing(comm))
        return known->is_inter() || is_sound(known->member()) ? known : nullptr;
    if (State::ends(comm)) return nullptr;
    int inter = 0;
    check_raised(PMPI_Comm_test_inter(comm, &inter));
    if (inter) return &State::of(comm, false);
    const Member me = member_of(comm);
    return is_sound(me) ? &State::of(comm, may_choose(me)) : nullptr;
}

/// A call: `algorithm` as in the C API; null: as the settings choose.
template <class Front>
int run(const char* algorithm, MPI_Comm comm, const Front& front)
{
    const auto native = [&] { return front.by(front.library); };
    return enter(Front::Call::name, comm, native, [&] {
        State* const known = State::existing(comm);
        if (known && served_again(*known, algorithm, front)) return MPI_SUCCESS;
        std::optional<bool> sound;
        State* state = known ? known
                             : state_for(
                                   comm, [&](Member me) { return *(sound = is_sound(front, me)); },
                                   [&](Member me) {
                                       return algorithm ||
                                              may_choose(*Settings::own(), front, me, Scope::user);
                                   });
        return state ? Way<Front>(*state, front, sound).go(algorithm, comm) : native();
    });
}

}  // namespace laneway
