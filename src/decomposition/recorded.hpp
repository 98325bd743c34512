// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectives/calls.hpp"
#include "schedule/address.hpp"

/// Calls as they are recorded: with symbolic addresses in place of the caller's memory.
namespace laneway {

/// The buffers of a call; a buffer that another one may stand in comes before that one.
template <class Call>
auto buffers_of(Call& call)
{
    if constexpr (requires { call.data; })
        return std::array{&call.data};
    else if constexpr (requires { call.whole; })
        return std::array{&call.whole, &call.mine};
    else if constexpr (requires { call.mine; })
        return std::array{&call.result, &call.mine};
    else if constexpr (requires { call.input; })
        return std::array{&call.input, &call.result};
    else
        return std::array<Buffer*, 0>{};
}

/// A call whose buffers lie at symbolic addresses. Buffers that overlap in the caller's memory have one base.
template <class Call>
struct Symbolic {
    Call call;
    std::vector<void*> bases;  ///< the bases in the caller's memory

    explicit Symbolic(const Call& original) : call(original)
    {
        const auto buffers = buffers_of(call);
        std::array<Buffer, std::tuple_size_v<decltype(buffers)>> whole{};
        bases.reserve(buffers.size());
        for (Buffer* const buffer : buffers) {
            std::size_t base = 0;
            while (base < bases.size() && !stands_in(*buffer, whole[base])) ++base;
            if (base == bases.size()) {
                whole[base] = *buffer;
                bases.push_back(buffer->data);
            }
            buffer->data = advanced(symbolic::address(base), distance(bases[base], buffer->data));
        }
    }

private:
    static std::int64_t distance(const void* from, const void* to)
    {
        return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) -
                                         reinterpret_cast<std::uintptr_t>(from));
    }
    /// Whether a buffer stands in a row. In a row without data (null: a gather's, elsewhere than at its root) nothing
    /// has a place, whatever its count.
    static bool stands_in(const Buffer& buffer, const Buffer& whole)
    {
        const std::int64_t offset = distance(whole.data, buffer.data);
        return offset == 0 || (whole.data && offset > 0 && offset < whole.count * whole.extent);
    }
};

}  // namespace laneway
