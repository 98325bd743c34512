// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdio>
#include <new>
#include <optional>

#include "core/front/data.hpp"
#include "core/state.hpp"
#include "mpi/error.hpp"

namespace laneway {

/// A call as the application made it, one class a collective (core/front/):
///
///     using Call = ...;                       what algorithms take (core/calls.hpp)
///     int native() const;                     the PMPI_ function with the arguments as they came
///     bool acceptable(Member me) const;       no argument that the library would reject
///     std::optional<Facts> facts(Member me) const;
///                                             what requirements look at; empty where the data cannot
///                                             be brought into wire form
///     template <class Serve>
///     void in_wire_form(const Comm& world, const Serve& serve) const;
///                                             `serve(call)` with the data in wire form
///
/// `run` is the way of one call: state, selection, requirements, wire form, algorithm, error.
/// `algorithm` is a name from the registry; null: as the settings choose. Returns an MPI error code.
template <class Front>
int run(const char* algorithm, MPI_Comm comm, const Front& front)
{
    using Call = Front::Call;
    if (comm == MPI_COMM_NULL) return front.native();
    try {
        State& state = State::of(comm);
        const Algorithm<Call>* chosen = state.choice<Call>();
        if (algorithm) {
            if (!Registry<Call>::knows(algorithm)) throw Error(MPI_ERR_ARG);
            chosen = Registry<Call>::find(algorithm);
        }
        state.served_by = "native";
        if (!chosen || state.native_only() || !front.acceptable(state.member()))
            return front.native();
        const Decomposition* on = state.decomposition();
        if (!on) return front.native();

        const std::optional<Facts> facts = front.facts(state.member());
        if (facts && facts->count == 0) return MPI_SUCCESS;
        chosen = facts ? Registry<Call>::eligible(chosen, *facts, *on) : nullptr;
        if (!chosen) return front.native();

        state.served_by = chosen->name.c_str();
        front.in_wire_form(on->world, [&](const Call& call) { chosen->run(call, *on); });
        return MPI_SUCCESS;
    } catch (const Error& error) {
        if (!error.is_raised()) PMPI_Comm_call_errhandler(comm, error.code());
        return error.code();
    } catch (const std::bad_alloc&) {
        // The other ranks cannot know, and would wait for this one for ever.
        std::fprintf(stderr, "laneway: no memory for a temporary of %s; the job ends\n",
                     Call::name);
        PMPI_Abort(comm, MPI_ERR_NO_MEM);
        return MPI_ERR_NO_MEM;
    }
}

}  // namespace laneway
