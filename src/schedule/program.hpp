// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "data/datatype.hpp"
#include "messages/comm.hpp"

/// One rank's work in a collective, recorded from an algorithm: see schedule/recorder.hpp. Data.
namespace laneway {

/// One step. Addresses are symbolic (schedule/address.hpp), types and groups indices into the program's
/// tables.
struct Operation {
    enum class Kind : std::uint8_t {
        send,     ///< `count` of `type` at `from` to `peer` of `group`, with `tag`
        receive,  ///< `count` of `type` at `to` from `peer` of `group`, with `tag`
        wait,     ///< for `count` messages of this strand: Strand::awaited, from `to_count` on
        copy,     ///< `count` of `type` at `from` to `to_count` of `to_type` at `to`
        reduce,   ///< `count` of `type`: `to` becomes `from` op `to`
        fork,     ///< strand `peer` begins
        join,     ///< strand `peer` has ended
        // Operations on the caller's data `peer`, used in packed form; in strand 0 (schedule/packing.hpp).
        pack,    ///< `count` elements from element `to_count` on
        unpack,  ///< `count` elements from element `to_count` on
    };
    Kind kind;
    std::uint16_t group = 0;
    std::uint16_t type = 0;
    std::uint16_t to_type = 0;
    std::int32_t peer = 0;
    std::int32_t tag = 0;
    void* from = nullptr;
    void* to = nullptr;
    std::int64_t count = 0;
    std::int64_t to_count = 0;
};

/// The kind as a word: "send" ...
inline const char* word_of(Operation::Kind kind)
{
    switch (kind) {
    case Operation::Kind::send:
        return "send";
    case Operation::Kind::receive:
        return "receive";
    case Operation::Kind::wait:
        return "wait";
    case Operation::Kind::copy:
        return "copy";
    case Operation::Kind::reduce:
        return "reduce";
    case Operation::Kind::fork:
        return "fork";
    case Operation::Kind::join:
        return "join";
    case Operation::Kind::pack:
        return "pack";
    case Operation::Kind::unpack:
        return "unpack";
    }
    return "";
}

/// Operations in the order in which they are carried out. Sends and receives are messages under way,
/// numbered from 0 on, until a wait.
struct Strand {
    std::vector<Operation> operations;
    std::vector<std::uint32_t> awaited;  ///< messages, in the order of the waits
    std::uint32_t messages = 0;
    /// The slot. One of the strands with the same slot ends before the next begins: they share temporary memory and
    /// tags.
    std::uint32_t slot = 0;

    void clear()
    {
        operations.clear();
        awaited.clear();
        messages = slot = 0;
    }

    /// The messages that a wait of this strand is for.
    std::span<const std::uint32_t> awaited_by(const Operation& wait) const
    {
        return std::span(awaited).subspan(static_cast<std::size_t>(wait.to_count),
                                          static_cast<std::size_t>(wait.count));
    }
};

/// All work of one rank. Strand 0 begins; others, its concurrent children, begin when it forks them.
struct Program {
    std::vector<Strand> strands{1};
    std::vector<MPI_Datatype> types;
    std::vector<Datatype> owned_types;
    std::size_t type_bytes = 0;  ///< bytes that these types take, about
    /// The communicators of messages. Those without MPI are not to be looked at: see `contexts`.
    std::vector<const Comm*> groups;
    /// The contexts of the groups; where groups are without MPI, peers are ranks of the world.
    std::vector<int> contexts;
    std::size_t buffers = 0;           ///< the caller's: bases 0 to `buffers` - 1; then one a slot
    std::vector<std::size_t> scratch;  ///< bytes of temporary memory of each slot
    /// The misuse of temporary memory by the text; null: none was seen.
    const char* misuse = nullptr;
    int tags = 1;  ///< tags of one slot: all are below

    /// Makes the program empty; its memory stays for what is recorded next.
    void clear()
    {
        strands.resize(1);
        strands.front().clear();
        types.clear();
        owned_types.clear();
        type_bytes = 0;
        groups.clear();
        contexts.clear();
        scratch.clear();
        buffers = 0;
        misuse = nullptr;
        tags = 1;
    }

    /// The tag of a message of a strand, among all_tags().
    int tag_of(const Strand& strand, const Operation& message) const
    {
        return static_cast<int>(strand.slot) * tags + message.tag;
    }
    std::size_t scratch_bytes() const
    {
        return std::accumulate(scratch.begin(), scratch.end(), std::size_t{0});
    }
    /// Bytes of memory that the program takes.
    std::size_t bytes() const
    {
        std::size_t all = sizeof(Program) + strands.capacity() * sizeof(Strand) + type_bytes;
        for (const Strand& strand : strands)
            all += strand.operations.capacity() * sizeof(Operation) +
                   strand.awaited.capacity() * sizeof(std::uint32_t);
        return all;
    }
    /// The tag of copies, which MPI makes as messages to oneself: other threads may copy for other executions.
    int copy_tag() const { return tags * static_cast<int>(scratch.size()); }
    int all_tags() const { return copy_tag() + 1; }
};

}  // namespace laneway
