// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "collectives/facts_of.hpp"
#include "data/recording.hpp"
#include "library/quirks.hpp"
#include "providers/described.hpp"
#include "providers/providers.hpp"

/// Collectives that nobody has chosen an algorithm for. They are ours in recordings, on parts without a communicator
/// for the library's, and where messages are so short that rounds matter more than bytes. Elsewhere the MPI library's
/// own serve. (Libraries send short messages by pairs of processes, in twice as many rounds as the trees and groups
/// of ours.) Buffers may differ in type between ranks, and from each other, where their signatures are equal.
namespace laneway::plain {

/// Bytes of a short message at most: on lanes of 100 Gbit/s and 1 us they take a third of the latency.
inline constexpr std::int64_t short_bytes = 4096;

/// Collectives in which some process sends a block to each other one, or hears one from each, are ours among so many
/// processes at most.
inline constexpr int few = 8;

/// Who serves.
enum class By {
    length,  ///< ours where it is short, else the library
    native,  ///< the library, also where it is short
    ours,    ///< ours, or a described library
};

/// Whether a call is short, by numbers that all ranks give alike: they must come to the same result.
template <class Call>
bool is_short(const Call& call, const Comm& comm)
{
    const std::int64_t bytes = bytes_of(call, comm);
    return bytes >= 0 && bytes <= short_bytes;
}

/// A described library that serves now. Segments that may be under way at once are ours, as a library's would begin
/// in another order on each rank. A segment that is alone is ours, too.
inline const DescribedLibrary* serving(const Described& described)
{
    if (!described.library || ours::saves_bytes()) return nullptr;
    const Recording* const recording = Recording::current();
    return recording && recording->is_in_child() ? nullptr : described.library;
}

/// Whether a call of two processes is the library's. The library needs one round among them, too, and most libraries
/// spend less on it than we do. One that is slow in pairs spends more than the messages of a node's channel, and on a
/// barrier more than any messages. (Where a library is only described, nodes have their channel.)
template <class Call>
bool is_librarys(const Comm& pair, const DescribedLibrary* described)
{
    const bool slow_in_pairs = described ? described->slow_in_pairs() : quirks().slow_in_pairs;
    const bool by_channel = pair.within_node() && (described || pair.channel());
    return !slow_in_pairs || !(std::is_same_v<Call, Barrier> || by_channel);
}

/// Whether a call may be ours where it is short; `described` null: the library is a real one.
template <class Call>
bool may_be_ours(const Comm& comm, const DescribedLibrary* described)
{
    if (comm.size() == 2) return !is_librarys<Call>(comm, described);
    return Call::message != Message::personal || comm.size() <= few;
}

template <class Call>
void serve(const Call& call, const Comm& comm, const Described& described = {}, By by = By::length)
{
    // Libraries may divide messages that must stay whole. (A reduce-scatter divides them in any case: algorithms that
    // have one as their component require operators that work element by element.)
    if constexpr (reduces<Call> && Call::message == Message::one)
        if (comm.keeps_whole(call.op)) return ours::serve(call, comm);
    const DescribedLibrary* const library = serving(described);
    const bool is_of_mockup = library && described.short_too;
    if (by == By::length && !is_of_mockup && may_be_ours<Call>(comm, library) &&
        is_short(call, comm))
        return ours::serve(call, comm);
    if (library) return library->serve(call, comm);
    if (by == By::ours || Recording::current() || comm.handle() == MPI_COMM_NULL)
        return ours::serve(call, comm);
    native::serve(call, comm);
}

}  // namespace laneway::plain
