// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <type_traits>

#include "collectives/catalogue.hpp"
#include "collectives/facts.hpp"
#include "data/datatype.hpp"
#include "messages/comm.hpp"
#include "messages/pmpi.hpp"

/// The facts of a call, and the size of its message.
namespace laneway {

/// The size of a message: `count` elements of one type.
struct MessageSize {
    std::int64_t count;
    MPI_Datatype type;
    std::int64_t bytes() const { return count * size_of(type); }
};

/// The message of a regular call, or a block of it, of which all processes know the bytes.
template <class Call>
MessageSize message_of(const Call& call, const Comm& comm)
{
    if constexpr (std::is_same_v<Call, Barrier>)
        return {0, MPI_BYTE};
    else if constexpr (requires { call.data; })
        return {call.data.count, call.data.type};
    else if constexpr (is_rooted<Call> && !reduces<Call>)
        return {call.mine.count, call.mine.type};
    else if constexpr (!reduces<Call>)
        return {call.result.count / comm.size(), call.result.type};
    else if constexpr (Call::message == Message::one)  // only the root must have a result
        return {call.input.count, call.input.type};
    else
        return {call.result.count, call.result.type};
}

/// Bytes of that message or block. Where blocks differ it is their mean, rounded up, or, where a process may not know
/// of all, -1.
template <class Call>
std::int64_t bytes_of(const Call& call, const Comm& comm)
{
    if constexpr (!is_vector<Call>) {
        return message_of(call, comm).bytes();
    } else if constexpr (requires { call.result, call.part; }) {
        const std::int64_t all = call.part.count() * size_of(call.result.type);
        return (all + comm.size() - 1) / comm.size();
    } else {
        return -1;
    }
}

/// The facts of a call. The amount of data that a vector collective moves is in its bytes alone, if anywhere.
template <class Call>
Facts facts_of(const Call& call, const Comm& comm)
{
    Facts facts{.bytes = bytes_of(call, comm)};
    if constexpr (is_vector<Call> && requires { call.result, call.part; })
        if (facts.bytes == 0) return facts;  // nothing at all
    if constexpr (reduces<Call>) {
        facts.count = call.input.count;
        facts.order_matters = !pmpi::is_commutative(call.op);
        facts.whole = comm.keeps_whole(call.op);
    } else {
        facts.count =
            std::is_same_v<Call, Barrier> || is_vector<Call> ? 1 : message_of(call, comm).count;
    }
    return facts;
}

}  // namespace laneway
