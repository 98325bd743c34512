// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/segments.hpp"

namespace laneway {

/// The unit of tunables that may be written with K, M or G.
constexpr const char* bytes_unit = "bytes";

/// A number that an algorithm can be tuned by, such as the bytes of a segment.
struct Tunable {
    const char* name;
    const char* unit;  ///< "bytes", or the things counted
    std::int64_t preset;
    std::int64_t least;
    std::int64_t most;
    const char* about;

    /// This tunable for an algorithm that another preset suits.
    constexpr Tunable with_preset(std::int64_t other) const
    {
        return {name, unit, other, least, most, about};
    }
};

/// For algorithms that cut a message into segments.
constexpr Tunable segment_tunable{
    "segment",
    "bytes",
    segment_bytes,
    64,
    whole_message,
    "a segment: longer ones carry more bandwidth, shorter ones fill the pipeline sooner"};

/// For algorithms for short messages.
constexpr Tunable long_segment_tunable{
    "segment", "bytes", whole_message, 64, whole_message, "a segment; 1G: the whole message"};

/// For algorithms by trees, cubes and digits of ranks.
constexpr Tunable radix_tunable{
    "radix", "", 4,
    2,       64, "children of a process, or base of digits: a larger one takes fewer rounds"};

/// For algorithms in which not all processes of a node need to deal with other nodes.
constexpr Tunable leaders_tunable{"leaders",
                                  "processes",
                                  2,
                                  0,
                                  1 << 20,
                                  "processes of a node that exchange with other nodes; 0: one a "
                                  "lane, as many as the smallest node has. Fewer send fewer "
                                  "and longer messages, and each of them shares out more on its "
                                  "node: up to n/l times as many bytes, and temporary memory"};

/// For algorithms that send to everyone.
constexpr Tunable window_tunable{
    "window", "messages",
    4,        1,
    1 << 20,  "to as many processes a message is under way at once: fewer crowd the network less"};

/// The values of an algorithm's tunables: its presets, but for what a setting changes.
class Tunables {
    template <class Values>
    static auto& found(Values& values, std::string_view name)
    {
        for (auto& [known, value] : values)
            if (known == name) return value;
        throw std::out_of_range("no such tunable: " + std::string(name));
    }

public:
    Tunables() = default;
    explicit Tunables(const std::vector<Tunable>& declared)
    {
        for (const Tunable& one : declared) values_.emplace_back(one.name, one.preset);
    }

    /// The value of a tunable that the algorithm declares. Throws std::out_of_range for another name.
    std::int64_t operator[](std::string_view name) const { return found(values_, name); }

    /// Sets the value of a tunable that the algorithm declares. Throws std::out_of_range for another name.
    void set(std::string_view name, std::int64_t value) { found(values_, name) = value; }

    const std::vector<std::pair<std::string_view, std::int64_t>>& all() const { return values_; }

private:
    std::vector<std::pair<std::string_view, std::int64_t>> values_;
};

}  // namespace laneway
