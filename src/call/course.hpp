// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "call/chosen.hpp"
#include "call/communicator/reproducible.hpp"
#include "call/communicator/state.hpp"
#include "call/front/data.hpp"
#include "call/short_segments.hpp"
#include "call/sound/rejected.hpp"
#include "library/error.hpp"
#include "text/text.hpp"

namespace laneway {

/// Whether by these settings an algorithm may serve a call of that form, or nonblocking ones that it prepares. Else
/// nothing waits in the call that would not wait natively.
template <class Call>
bool may_be_served(const Settings& settings, Scope form)
{
    return settings.rules().offer(form, collective_of<Call>) ||
           (form == Scope::user && settings.prepares_at_once());
}
/// Whether one may serve this call, which is sound.
template <class Front>
bool may_be_served(const Settings& settings, const Front& front, Member me, Scope form)
{
    using Call = Front::Call;
    if (!may_be_served<Call>(settings, form)) return false;
    if (form == Scope::user && settings.prepares_at_once()) return true;
    const std::optional<Facts> facts = front.facts(me);
    return settings.rules().may_serve(form, collective_of<Call>, me.size, settings.lanes(),
                                      facts ? facts->bytes : -1);
}

/// The collective as the application names it: an alltoallw is served as an alltoallv.
template <class Front>
constexpr const char* name_of_front()
{
    if constexpr (requires { Front::name; })
        return Front::name;
    else
        return Front::Call::name;
}

/// Adds bytes, type and operator to what is told of a call that the library takes.
template <class Front>
void describe(const Front& front, Member me, bool is_inter, Decision& decision)
{
    constexpr bool vector = is_vector<typename Front::Call>;
    if (is_inter && vector) return;  // its rows are as long as the other group is large
    const std::optional<Facts> facts = front.facts(me);
    if (!facts) return;
    decision.bytes = facts->bytes;
    if (is_inter) return;
    if constexpr (vector) decision.bytes = front.own_bytes(me);
    for (const Data& data : front.significant(me))
        if (data.count > 0) decision.type = data.type;
    decision.op = front.question(me).op;
}

/// A call as the application made it, one class a collective (call/front/):
///
///     using Call = ...;                       the struct that algorithms take (collectives/calls.hpp)
///     static constexpr const auto& library;   the library's function in its forms (library/real.hpp)
///     int by(function, more...) const;        one of these with the arguments as they came, and `more`
///     bool acceptable(Member me) const;       no argument that the library would reject, at a glance
///     int without_data(MPI_Comm alone, Member me) const;
///     Question question(Member me) const;     all that the answer to that depends on
///     std::array<Data, N> significant(Member me) const;
///     bool is_aliased(Member me) const;       buffers that it would reject: see call/sound/rejected.hpp
///     std::optional<Facts> facts(Member me) const;
///                                             the facts for rules and requirements; empty where the
///                                             data cannot be brought into wire form
///     class Wired;                            the call in wire form, made of the front and the private
///                                             communicator: call(), and as packings() the data that are packed
///                                             and unpacked
///
/// Fronts of vector collectives also have
///
///     std::int64_t own_bytes(Member me) const;
///                                             the bytes of a call as the calling process knows them, for the report
///     Wired::lengths(), hear(...)             where a process knows some lengths alone: these, and those that it is
///                                             told (call/told.hpp)
///
/// The common part of the ways of a call, whatever its form: judging it, choosing for it, counting it.
template <class Front>
class Course {
public:
    using Call = Front::Call;

protected:
    /// `name`: that of the collective in its form, for the report. `sound`: whether the call is sound, where the
    /// library was asked already.
    Course(State& state, const Front& front, const char* name, std::optional<bool> sound)
        : state_(state),
          front_(front),
          name_(name),
          sound_(sound)
    {
    }

    static constexpr const char* rejected = "arguments that MPI rejects";

    /// The facts of the call; empty where its data have no wire form.
    std::optional<Facts> facts() const
    {
        std::optional<Facts> facts = front_.facts(state_.member());
        if (facts && state_.settings().divides_operators()) facts->whole = false;
        return facts;
    }

    /// Counts a call that the algorithm of `server` serves.
    void count_as_served_by(const Server& server, const Chosen& chosen, const Facts& facts,
                            const Decomposition& on)
    {
        const auto* const algorithm = server.algorithm;
        state_.served_by = algorithm ? algorithm->name.c_str() : "native";
        if (algorithm != chosen.algorithm) {
            if (state_.reported()) count(state_.served_by, unmet_in_words(chosen, facts, on));
            return;
        }
        count(state_.served_by, chosen.why);
        if (chosen.rule)
            say_if_segments_are_short(algorithm->name, server.tunables, facts.bytes,
                                      state_.member());
    }

    void count(const char* algorithm, std::string_view why, const Times& times = {}) const
    {
        const ReportedComm* reported = state_.reported();
        if (!reported) [[likely]]
            return;
        Report* const report = Report::own();
        if (!report) return;
        Decision decision{name_, -1, algorithm, why, times};
        if (is_sound()) describe(decision);
        counted_ = &report->count(*reported, decision);
    }

    /// Takes the count back of a call that an algorithm was to serve: the library serves it, as turned out before
    /// anything was sent.
    void take_count_back() const
    {
        state_.served_by = "native";
        Report* const report = counted_ ? Report::own() : nullptr;
        if (!report) return;
        Decision decision{name_, -1, "", ""};
        describe(decision);
        report->take_back(*counted_, decision.bytes);
    }

    /// `call()`, and in the report the time that it took as a whole.
    template <class Body>
    int reported_as_a_whole(const Body& call) const
    {
        // Whether there is a report may become known in the call. Advice has times of its own.
        const bool watches =
            (state_.reported() || state_.is_open()) && !state_.settings().advises();
        const double came = watches ? PMPI_Wtime() : 0;
        const int code = call();
        if (counted_ && watches) [[unlikely]]
            if (Report* const report = Report::own()) report->took(*counted_, PMPI_Wtime() - came);
        return code;
    }

    /// The library serves, whatever the settings choose: for a reduction, the reproducible mode says so.
    void say_left(std::string_view why) const
    {
        if constexpr (reduces<Call>)
            if (state_.is_to_be_reproducible() && (state_.is_inter() || is_sound()))
                say_not_reproducible(state_.settings(), front_.comm, state_.member().rank, name_,
                                     why);
    }

    /// Whether there is no argument that the library would reject, at a glance; and none at all. The library is
    /// asked once a call.
    bool is_acceptable() const { return has_other_lengths() || front_.acceptable(state_.member()); }
    bool is_sound() const
    {
        if (has_other_lengths()) return true;
        if (!sound_) sound_ = laneway::is_sound(front_, state_.member());
        return *sound_;
    }

    /// Whether by the settings an algorithm may serve this call, which is of that form.
    bool may_be_served(Scope form) const
    {
        const Settings& settings = state_.settings();
        return laneway::may_be_served<Call>(settings, form) && is_sound() &&
               laneway::may_be_served(settings, front_, state_.member(), form);
    }

    /// Whether the call takes part in learning, where that is asked for. One without data does not: a library may reject
    /// it on one process.
    bool may_learn(const Facts& facts) const
    {
        return state_.settings().learns() && facts.count > 0 &&
               (facts.bytes != 0 || std::is_same_v<Call, Barrier>);
    }
    /// The choice that serves a call in its turn; `chosen` would serve otherwise.
    static Chosen chosen_in(const Learning::Turn& turn, const Chosen& chosen)
    {
        return chosen_of(turn.way(), turn.why().empty() ? chosen.why : turn.why());
    }

    const char* name() const { return name_; }

    State& state_;
    const Front& front_;

    /// Whether this is a vector collective between groups. Its rows are as long as the other group is large: the
    /// library alone reads them.
    bool has_other_lengths() const { return is_vector<Call> && state_.is_inter(); }

private:
    void describe(Decision& decision) const
    {
        laneway::describe(front_, state_.member(), state_.is_inter(), decision);
    }

    const char* const name_;
    mutable std::optional<bool> sound_;
    mutable Report::Row* counted_ = nullptr;
};

}  // namespace laneway
