// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdio>
#include <new>
#include <optional>

#include "call/entrance.hpp"
#include "call/front/data.hpp"
#include "call/rejected.hpp"
#include "call/state.hpp"
#include "decomposition/perform.hpp"
#include "mpi/error.hpp"

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

/// A call as the application made it, one class a collective (core/front/):
///
///     using Call = ...;                       what algorithms take (core/calls.hpp)
///     int native() const;                     the PMPI_ function with the arguments as they came
///     bool acceptable(Member me) const;       no argument that the library would reject, at a glance
///     int without_data(MPI_Comm alone, Member me) const;
///     std::array<Data, N> significant(Member me) const;
///     bool is_aliased(Member me) const;       what else it would reject: see core/rejected.hpp
///     std::optional<Facts> facts(Member me) const;
///                                             what rules and requirements look at; empty where the
///                                             data cannot be brought into wire form
///     template <class Serve>
///     void in_wire_form(const Comm& world, const Serve& serve) const;
///                                             `serve(call)` with the data in wire form
///
/// The way of one call: state, selection, requirements, wire form, algorithm.
template <class Front>
class Way {
public:
    using Call = Front::Call;

    /// `sound`: whether the call is, where the library was asked already.
    Way(State& state, const Front& front, std::optional<bool> sound)
        : state_(state),
          front_(front),
          sound_(sound)
    {
    }

    /// `name` is an algorithm of the registry; null: as the settings choose. Returns an MPI error
    /// code, or throws Error.
    int go(const char* name, MPI_Comm comm)
    {
        state_.served_by = "native";
        if (name && !Registry<Call>::knows(name)) throw Error(MPI_ERR_ARG);
        if (state_.is_open() && !settled(name))
            return natively("settings that the processes have not agreed on yet");
        if (state_.advises()) return is_sound() ? timed(comm) : natively(rejected);
        if (const char* why = state_.native_because()) return natively(why);
        // Before anything that is collective.
        if (state_.selector_is_collective() ? !is_sound() : !is_acceptable())
            return natively(rejected);
        const Selector* selector = name ? nullptr : state_.selector();
        const bool offers = selector && selector->offers<Call>();
        if (!name && !offers && !state_.reported()) return front_.native();

        if (!is_sound()) return natively(rejected);
        const std::optional<Facts> facts = front_.facts(state_.member());
        if (!facts) return natively("data that have no wire form");
        if (name) return serve({Registry<Call>::find(name), nullptr, "named in the call"}, *facts);
        const Rule<Call>* rule = selector ? selector->rule<Call>(facts->bytes) : nullptr;
        if (!rule) return natively(offers ? "no rule fits" : "nothing else is chosen");
        return serve({rule->choice.algorithm, rule, rule->origin}, *facts);
    }

private:
    struct Chosen {
        const Algorithm<Call>* algorithm;  ///< null: native
        const Rule<Call>* rule;            ///< null: the call names the algorithm
        std::string_view why;
    };

    static constexpr const char* rejected = "arguments that MPI rejects";

    /// The processes agree on settings in this call at the latest. Where the library will reject it
    /// on this rank alone, it must not wait for the others.
    bool settled(const char* name) const
    {
        if (!state_.waits() && !name && !all_meet<Call>) return state_.settled(false);
        return is_sound() && state_.settled(name || meets());
    }

    /// All processes wait for each other in this call.
    bool meets() const
    {
        if constexpr (std::is_same_v<Call, Barrier>)
            return true;
        else if constexpr (all_meet<Call>)
            return front_.data.count > 0;
        else
            return false;
    }

    int serve(const Chosen& chosen, const Facts& facts)
    {
        if (!chosen.algorithm) return natively(chosen.why);
        if (facts.count == 0) {
            count("native", "no data: done at once");
            return MPI_SUCCESS;
        }
        if (reduces<Call> && state_.devices()) return natively("accelerators are in use");
        const Parts* const parts = state_.parts();
        if (!parts) return natively(state_.native_because());
        const Decomposition on(*parts, chosen.rule ? chosen.rule->components.get() : nullptr);
        const auto* algorithm = Registry<Call>::eligible(chosen.algorithm, facts, on);
        if (!algorithm) {
            count_unmet("native", chosen, facts, on);
            return front_.native();
        }

        state_.served_by = algorithm->name.c_str();
        const bool as_chosen = algorithm == chosen.algorithm;
        if (as_chosen)
            count(state_.served_by, chosen.why);
        else
            count_unmet(state_.served_by, chosen, facts, on);
        const Tunables& tunables =
            chosen.rule && as_chosen ? chosen.rule->choice.tunables : algorithm->presets;
        front_.in_wire_form(on.world,
                            [&](const Call& call) { perform(*algorithm, call, on, tunables); });
        return MPI_SUCCESS;
    }

    int natively(std::string_view why) const
    {
        count("native", why);
        return front_.native();
    }

    int timed(MPI_Comm comm) const
    {
        Times times;
        const int code = time(comm, times, [&] { return front_.native(); });
        count("native", "advising", times);
        return code;
    }

    /// Something stands in for the chosen algorithm.
    void count_unmet(const char* served_by, const Chosen& chosen, const Facts& facts,
                     const Layout& on) const
    {
        if (!state_.reported()) return;
        count(served_by, std::string(chosen.why) + ": " + chosen.algorithm->name +
                             " needs: " + chosen.algorithm->needs.unmet(facts, on).text());
    }

    void count(const char* algorithm, std::string_view why, const Times& times = {}) const
    {
        const ReportedComm* reported = state_.reported();
        if (!reported) [[likely]]
            return;
        Report* const report = Report::own();
        if (!report) return;
        const auto facts = is_sound() ? front_.facts(state_.member()) : std::nullopt;
        report->count(*reported, {Call::name, facts ? facts->bytes : -1, algorithm, why, times});
    }

    /// There is no argument that the library would reject, at a glance; and none at all. The library is
    /// asked once a call.
    bool is_acceptable() const { return front_.acceptable(state_.member()); }
    bool is_sound() const
    {
        if (!sound_) sound_ = laneway::is_sound(front_, state_.member());
        return *sound_;
    }

    State& state_;
    const Front& front_;
    mutable std::optional<bool> sound_;
};

/// `way()`, unless the call is not the application's: then `native()`. Errors are raised once, on the
/// user's communicator. Returns an MPI error code.
template <class Native, class Way>
int enter(const char* collective, MPI_Comm comm, const Native& native, const Way& way)
{
    const Entrance entrance;
    try {
        return comm == MPI_COMM_NULL || !entrance.outermost() ? native() : way();
    } catch (const Error& error) {
        if (!error.is_raised()) PMPI_Comm_call_errhandler(comm, error.code());
        return error.code();
    } catch (const std::bad_alloc&) {
        // The other ranks cannot know, and would wait for this one for ever.
        std::fprintf(stderr, "laneway: no memory for a temporary of %s; the job ends\n",
                     collective);
        PMPI_Abort(comm, MPI_ERR_NO_MEM);
        return MPI_ERR_NO_MEM;
    }
}

/// The state of `comm` for a call that `is_sound(member)`. Null where it has none yet and the library
/// will reject the call on this rank alone: the others need not be in a call, and begin no agreement.
/// (An inter-communicator's root is no rank, and its processes agree on nothing.)
template <class IsSound>
State* state_for(MPI_Comm comm, const IsSound& is_sound)
{
    if (State* state = State::existing(comm)) return state;
    int inter = 0;
    check_raised(PMPI_Comm_test_inter(comm, &inter));
    return inter || is_sound(member_of(comm)) ? &State::of(comm) : nullptr;
}

/// A call: `algorithm` is a name from the registry; null: as the settings choose.
template <class Front>
int run(const char* algorithm, MPI_Comm comm, const Front& front)
{
    const auto native = [&] { return front.native(); };
    return enter(Front::Call::name, comm, native, [&] {
        std::optional<bool> sound;
        State* state = state_for(comm, [&](Member me) { return *(sound = is_sound(front, me)); });
        return state ? Way<Front>(*state, front, sound).go(algorithm, comm) : native();
    });
}

}  // namespace laneway
