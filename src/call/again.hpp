// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "call/communicator/repeated.hpp"
#include "call/communicator/state.hpp"
#include "call/front/data.hpp"
#include "carriers/brief.hpp"
#include "collectives/algorithm.hpp"
#include "decomposition/decomposition.hpp"
#include "decomposition/perform.hpp"
#include "decomposition/recorded.hpp"
#include "machine/device.hpp"
#include "node/channel.hpp"

/// Service of fronts by what is kept of an earlier call (call/communicator/repeated.hpp).
namespace laneway {

/// The key of a call. `algorithm`: its name in the call; null: the call names none.
template <class Front>
Repeated::Key key_of(const Front& front, const char* algorithm, Member me)
{
    Repeated::Key key{.collective = Front::Call::name, .question = front.question(me)};
    std::size_t place = 0;
    for (const Data& data : front.significant(me)) key.counts[place++] = data.count;
    if constexpr (requires { front.root; }) key.root = front.root;
    if (algorithm) key.algorithm = algorithm;
    return key;
}

/// Whether no data of the call are missing, or in place where they may not be.
template <class Front>
bool are_buffers(const Front& front, Member me)
{
    return std::ranges::none_of(front.significant(me), [](const Data& data) {
        return data.count > 0 && (!data.address || data.in_place());
    });
}

/// The addresses of the bases in a call; none where they share memory, or where the data are not buffers.
template <class Front>
std::optional<Brief::Bases> bases_of(const Repeated::Served& served, const Front& front, Member me)
{
    if (!are_buffers(front, me)) return std::nullopt;
    const auto significant = front.significant(me);
    Brief::Bases bases{};
    std::int64_t bytes = 0;
    for (std::size_t base = 0; base < served.bases.size(); ++base) {
        const auto& its = served.bases[base];
        if (!its) continue;
        if constexpr (significant.size() > 0)
            bases[base] =
                static_cast<std::byte*>(const_cast<void*>(significant[its->data].address));
        if (base == 0)
            bytes = its->bytes;
        else if (bases[0] && bases[base] < bases[0] + bytes && bases[0] < bases[base] + its->bytes)
            return std::nullopt;
    }
    return bases;
}

/// Which of the significant data each base of `call` is, and the bytes of it there. None where some base lies elsewhere
/// than the caller's data.
template <class Front, class Call>
std::optional<Repeated::Bases> places_of(Call call, const Symbolic<Call>& symbolic,
                                         const Front& front, Member me)
{
    const auto significant = front.significant(me);
    Repeated::Bases places;
    for (std::size_t base = 0; base < symbolic.bases.size(); ++base) {
        if (!symbolic.bases[base]) continue;
        const auto is_it = [&](const auto& data) { return data.address == symbolic.bases[base]; };
        const auto its = std::ranges::find_if(significant, is_it);
        if (its == significant.end()) return std::nullopt;
        std::int64_t bytes = 0;
        for (const Buffer* const buffer : buffers_of(call))
            if (buffer->data == its->address)
                bytes = std::max(bytes, buffer->count * buffer->extent);
        places[base] = {static_cast<std::size_t>(its - significant.begin()), bytes};
    }
    return places;
}

/// Serves a call as an earlier one with the same arguments was served. False: there is no earlier one, or memory is not
/// as it was then. Throws Error.
template <class Front>
bool served_again(State& state, const char* algorithm, const Front& front)
{
    const Member me = state.member();
    Repeated& repeated = state.repeated();
    if (repeated.is_empty() || state.reported() || !front.acceptable(me)) return false;
    const Repeated::Key key = key_of(front, algorithm, me);
    const Repeated::Served* const served = repeated.find(key);
    if (!served) return false;
    const auto bases = bases_of(*served, front, me);
    if (!bases || uses_devices_by_now()) return false;
    state.served_by = served->algorithm;
    served->brief.run(*bases, key.question.op);
    return true;
}

/// Keeps how `algorithm` is about to serve a call of `bytes` bytes. Only flat algorithms and short calls within a node
/// are kept. `named`: the name in the call; null: the call names none.
template <class Front>
void keep_for_repeats(State& state, const char* named, const Algorithm& algorithm,
                      const Tunables& tunables, const Front& front, const Decomposition& on,
                      std::int64_t bytes)
{
    const NodeChannel* const channel = on.world.channel();
    if (!algorithm.flat || !channel || !on.world.within_node() ||
        bytes > channel->at_once_at_most() || state.reported())
        return;
    const Member me = state.member();
    const Repeated::Key key = key_of(front, named, me);
    // Other handles may stand for something else next time.
    const auto may = [&] { return lasts(key.question); };
    if (!state.repeated().is_to_be_kept(key, may) || !are_buffers(front, me)) return;
    const typename Front::Wired wired(front, on.world);
    const Symbolic<typename Front::Call> symbolic(wired.call());
    const auto places = places_of(wired.call(), symbolic, front, me);
    if (!places) return state.repeated().keep(key, nullptr);
    const auto is_there = [](const auto& base) { return base.has_value(); };
    const auto has_data = [](const auto& data) { return data.count > 0; };
    if (std::ranges::count_if(*places, is_there) !=
        std::ranges::count_if(front.significant(me), has_data))
        return;  // Bases share memory, which those of the next call need not.
    std::unique_ptr<const Repeated::Served> served;
    if (auto brief = Brief::of(recorded(algorithm, on, tunables, symbolic), on.world))
        served = std::make_unique<const Repeated::Served>(std::move(*brief), algorithm.name.c_str(),
                                                          *places);
    state.repeated().keep(key, std::move(served));
}

}  // namespace laneway
