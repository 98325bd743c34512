// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <type_traits>

#include "carriers/mpi.hpp"
#include "collectives/algorithm.hpp"
#include "decomposition/decomposition.hpp"
#include "decomposition/recorded.hpp"
#include "schedule/recorder.hpp"

namespace laneway {

template <class Call>
ProgramKey key_of(const Algorithm<Call>& algorithm, const Decomposition& on,
                  const Tunables& tunables, const Symbolic<Call>& symbolic)
{
    ProgramKey key{reinterpret_cast<std::intptr_t>(&algorithm),
                   reinterpret_cast<std::intptr_t>(on.components())};
    for (const auto& [name, value] : tunables.all()) key.push_back(value);
    Call call = symbolic.call;
    for (const Buffer* const buffer : buffers_of(call)) {
        if (!is_named(buffer->type)) return {};  // another type may get the same handle
        key.insert(key.end(), {reinterpret_cast<std::intptr_t>(buffer->data), buffer->count,
                               number_of(buffer->type)});
    }
    if constexpr (requires { call.root; }) key.push_back(call.root);
    if constexpr (reduces<Call>) key.push_back(pmpi::is_commutative(call.op));
    return key;
}

/// The program of a call: recorded now, or kept from an earlier one.
template <class Call>
std::shared_ptr<const Program> program_of(const Algorithm<Call>& algorithm, const Decomposition& on,
                                          const Tunables& tunables, const Symbolic<Call>& symbolic)
{
    ProgramKey key = key_of(algorithm, on, tunables, symbolic);
    if (auto known = on.programs().find(key)) return known;
    Recorder recorder(on.world, symbolic.bases.size(), on.tags());
    algorithm.run(symbolic.call, on, tunables);
    auto program = std::make_shared<const Program>(recorder.take());
    on.programs().keep(std::move(key), program);
    return program;
}

/// Serves a call by an algorithm that is eligible: its text calls MPI, but where parts of it are concurrent,
/// which are recorded first.
template <class Call>
void perform(const Algorithm<Call>& algorithm, const Call& call, const Decomposition& on,
             const Tunables& tunables)
{
    if (!algorithm.concurrent || Recorder::current()) return algorithm.run(call, on, tunables);
    const Symbolic<Call> symbolic(call);
    const auto program = program_of(algorithm, on, tunables, symbolic);
    MPI_Op op = MPI_OP_NULL;
    if constexpr (reduces<Call>) op = call.op;
    const int first_tag = on.programs().take_tags(program->all_tags(), on.tags(), on.world);
    Execution execution(*program, symbolic.bases, op, first_tag);
    execution.start();
    execution.wait();
}

}  // namespace laneway
