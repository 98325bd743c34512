// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "collectives/algorithm.hpp"
#include "data/partition.hpp"
#include "decomposition/components.hpp"
#include "schedule/recorder.hpp"

/// Segments with a window. A message is cut into segments of which several are under way at once, each served
/// by the plain code of an algorithm. While one is on the lanes, others are on the nodes.
namespace laneway {

constexpr Tunable under_way_segment{"segment",
                                    "bytes",
                                    64 << 10,
                                    64,
                                    1 << 30,
                                    "a segment, of the message or of a block of it: shorter ones "
                                    "fill the lanes sooner, longer ones "
                                    "carry more bandwidth"};

/// The segment where the pipeline takes several segments' time to fill.
constexpr Tunable filling_segment{
    "segment",
    "bytes",
    64 << 10,
    64,
    1 << 30,
    "the longest segment: where there would be fewer than 16, shorter ones, down to a quarter, "
    "fill "
    "the lanes sooner, and as many more are under way; where nodes are many, a message of up to "
    "`ahead` of them may go as one, which takes fewer latencies"};
constexpr Tunable ahead_tunable{
    "ahead",
    "segments",
    4,
    1,
    64,
    "segments under way at once: more keep the lanes busy, and take as much temporary memory more"};

/// All leaders. Fewer pay off where each message costs much: many processes on few processors, or on few lanes of the
/// network.
constexpr Tunable all_leaders = leaders_tunable.with_preset(0);

/// The idea of algorithms that serve segments by the code of `lane`, for their documentation.
constexpr const char* lane_in_segments =
    "lane for segments of the message, several of them under way at once: while one is on the "
    "lanes, others are on the nodes; chains and rings of ours as components, of one segment alone "
    "trees and exchanges";
constexpr const char* source_of_segments =
    "the code of lane; several segments under way at once are ours";

/// How a message is cut.
struct Cut {
    std::int64_t segment;  ///< bytes of a segment
    std::int64_t ahead;    ///< segments under way at once
};

/// The cut that the tunables give, whatever the message.
inline Cut as_told(const Tunables& tunables) { return {tunables["segment"], tunables["ahead"]}; }

/// The cut where segments go from node to node, so that filling the pipeline takes several segments' time: see
/// filling_segment. If segments are shorter, as many more are under way. A message of up to `together` segments is not
/// cut at all: where nodes are many, trees take fewer latencies than chains. It holds no more than the segments under
/// way at once would. Nor is a segment cut if its shares would be so short that the cost of each message matters more.
inline Cut fill_soon(std::int64_t message_bytes, const Tunables& tunables, const Decomposition& on,
                     int together)
{
    constexpr std::int64_t enough = 16, finest = 4, short_share = 1024;
    const auto [longest, ahead] = as_told(tunables);
    const std::int64_t whole = longest * std::clamp<std::int64_t>(together, 1, ahead);
    if (message_bytes <= whole) return {std::max(longest, message_bytes), ahead};
    const std::int64_t shortest =
        std::min(longest, std::max(longest / finest, short_share * on.lanes()));
    const std::int64_t segment = std::clamp(message_bytes / enough, shortest, longest);
    return {segment, ahead * longest / segment};
}

/// Calls `body(i)` for i = 0 to `count` - 1, `ahead` of them under way at once. Where they are carried out at once, not
/// recorded, they follow each other.
template <class Body>
void under_way(int count, std::int64_t ahead, const Body& body)
{
    if (Recorder* const recorder = Recorder::current())
        recorder->concurrently(count, static_cast<int>(ahead), body);
    else
        for (int at = 0; at < count; ++at) body(at);
}

/// `count` elements in segments of the cut's length or near that. Each has elements for all lanes, and the last one
/// fewer for each of them. So a process that calls with fewer segments than another one is told so.
inline Partition segments_of(std::int64_t count, std::int64_t element_bytes, const Cut& cut,
                             const Decomposition& on)
{
    const auto length = std::max<std::int64_t>(
        {cut.segment / std::max<std::int64_t>(1, element_bytes), on.lanes(), 2});
    return Partition::with_shorter_last(
        count, static_cast<int>(std::max<std::int64_t>(1, count / length)), on.lanes());
}

/// Calls `body(first, length)` for these segments.
template <class Body>
void in_segments(std::int64_t count, std::int64_t element_bytes, const Cut& cut,
                 const Decomposition& on, const Body& body)
{
    const Partition part = segments_of(count, element_bytes, cut, on);
    under_way(part.parts(), cut.ahead, [&](int at) { body(part.first(at), part.size(at)); });
}

/// Calls `body(at, stretches)` for each stretch number `at`. Each block of a row is cut into `stretches`: as many as
/// give the mean block segments of the cut's length or near that.
template <class Body>
void in_stretches(const Partition& row, std::int64_t element_bytes, const Cut& cut,
                  const Decomposition& on, const Body& body)
{
    constexpr std::int64_t most = 64;  // times the processes: one of them may have everything
    const std::int64_t size = on.world.size(), bytes = row.count() * element_bytes;
    const auto stretches =
        static_cast<int>(std::clamp<std::int64_t>(bytes / (cut.segment * size), 1, size * most));
    under_way(stretches, cut.ahead, [&](int at) { body(at, stretches); });
}

/// Serves a part of a call by the code of another algorithm, with its presets.
template <class Call>
void by_text_of(const char* algorithm, const Call& call, const Decomposition& on)
{
    const Algorithm* const text = registry::find(collective_of<Call>, algorithm);
    text->run(call, on, text->presets);
}

}  // namespace laneway
