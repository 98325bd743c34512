// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "carriers/execution.hpp"
#include "collectives/algorithm.hpp"
#include "data/footprint.hpp"
#include "decomposition/decomposition.hpp"
#include "decomposition/recorded.hpp"
#include "messages/idle.hpp"
#include "messages/wire.hpp"
#include "schedule/packing.hpp"
#include "schedule/recorder.hpp"

namespace laneway {

/// The data of a call that are packed and unpacked in its program.
struct Packed {
    std::vector<PackedData> data;
    std::vector<const Wire*> wires;

    template <class Call>
    Packed(const Symbolic<Call>& symbolic, std::span<const Packing> packings)
    {
        for (const auto& [wire, out, in] : packings) {
            if (!wire || !wire->is_packed()) continue;
            const auto base = std::ranges::find(symbolic.bases, wire->buffer().data);
            data.push_back(
                {symbolic::address(static_cast<std::size_t>(base - symbolic.bases.begin())),
                 wire->step(), wire->step() * wire->element_bytes(), out, in});
            wires.push_back(wire);
        }
    }
};

/// Adds the lengths of all blocks that the calling process knows of a vector collective.
template <class Call>
void add_lengths(ProgramKey& key, const Call& call)
{
    const auto add = [&](const Partition& part) {
        for (int block = 0; block < part.parts(); ++block) key.push_back(part.size(block));
    };
    if constexpr (requires { call.part; }) {
        add(call.part);
    } else {
        add(call.input_part);
        add(call.result_part);
        key.push_back(call.longest);
        key.insert(key.end(), call.passing.begin(), call.passing.end());
        if (call.of_node)
            call.of_node->for_numbers([&](std::int64_t number) { key.push_back(number); });
    }
}

template <class Call>
ProgramKey key_of(const Algorithm& algorithm, const Decomposition& on, const Tunables& tunables,
                  const Symbolic<Call>& symbolic, const Packed& packed)
{
    ProgramKey key{reinterpret_cast<std::intptr_t>(&algorithm),
                   reinterpret_cast<std::intptr_t>(on.components())};
    for (const auto& [name, value] : tunables.all()) key.push_back(value);
    // With other weights of lanes there is another layout. All of them live as long as the programs.
    key.push_back(reinterpret_cast<std::intptr_t>(&static_cast<const Layout&>(on)));
    Call call = symbolic.call;
    for (const Buffer* const buffer : buffers_of(call)) {
        if (!is_named(buffer->type)) return {};  // another type may get the same handle
        key.insert(key.end(), {reinterpret_cast<std::intptr_t>(buffer->data), buffer->count,
                               number_of(buffer->type)});
    }
    if constexpr (is_vector<Call>) add_lengths(key, call);
    if constexpr (requires { call.root; }) key.push_back(call.root);
    if constexpr (reduces<Call>)
        key.insert(key.end(), {pmpi::is_commutative(call.op), on.world.keeps_whole(call.op)});
    for (const auto& [start, elements, step_bytes, out, in] : packed.data)
        key.insert(key.end(), {reinterpret_cast<std::intptr_t>(start), elements, step_bytes,
                               out.first, out.count, in.first, in.count});
    return key;
}

/// The program of a call: recorded now.
template <class Call>
Program recorded(const Algorithm& algorithm, const Decomposition& on, const Tunables& tunables,
                 const Symbolic<Call>& symbolic)
{
    Recorder recorder(on.world, symbolic.bases.size(), on.tags());
    algorithm.run(symbolic.call, on, tunables);
    return recorder.take();
}

/// The program of a call: kept from an earlier call, or recorded now.
template <class Call>
std::shared_ptr<const Program> program_of(const Algorithm& algorithm, const Decomposition& on,
                                          const Tunables& tunables, const Symbolic<Call>& symbolic,
                                          const Packed& packed)
{
    ProgramKey key = key_of(algorithm, on, tunables, symbolic, packed);
    if (auto known = on.programs().find(key)) return known;
    const auto program = std::make_shared<Program>(recorded(algorithm, on, tunables, symbolic));
    Footprints types;
    add_packing(*program, packed.data, types);
    on.programs().keep(std::move(key), program);
    return program;
}

/// Serves a call by an algorithm that is eligible. Its code calls MPI; where parts of it are concurrent, it is
/// recorded first. `packings`: the data of the call that are packed before they are used and unpacked after.
template <class Call>
void perform(const Algorithm& algorithm, const Call& call, const Decomposition& on,
             const Tunables& tunables, std::span<const Packing> packings = {})
{
    if (!algorithm.concurrent || Recorder::current()) {
        for (const Packing& packing : packings) packing.pack();
        algorithm.run(call, on, tunables);
        for (const Packing& packing : packings) packing.unpack();
        return;
    }
    const Symbolic<Call> symbolic(call);
    Packed packed(symbolic, packings);
    const auto program = program_of(algorithm, on, tunables, symbolic, packed);
    MPI_Op op = MPI_OP_NULL;
    if constexpr (reduces<Call>) op = call.op;
    const auto tags = on.programs().take_tags(program->all_tags(), on.tags(), on.world);
    while (!on.programs().are_free(tags)) let_others_go_on(on.world);
    Execution execution(*program, symbolic.bases, std::move(packed.wires), op, tags.first);
    execution.start();
    execution.wait();
}

}  // namespace laneway
