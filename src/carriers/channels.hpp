// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace laneway {

/// Matches sends and receives, by numbers below a limit, in the order in which they are posted to a channel. A
/// channel is a sender, a receiver, a communicator and a tag. Channels stand in a table with open addresses; the
/// messages that wait in one channel are a list.
class Channels {
public:
    /// Forgets all; numbers will be below `messages`.
    void clear(std::size_t messages)
    {
        if (next_.size() < messages) next_.resize(messages);
        if (slots_.size() < messages) slots_.assign(std::bit_ceil(messages), {});
        ++now_;
        if (now_ != 0) return;
        slots_.assign(slots_.size(), {});
        now_ = 1;
    }

    /// The oldest other side of `message`; where there is none yet, the message waits for it.
    std::optional<std::uint32_t> match(int from, int to, int context, int tag, bool sends,
                                       std::uint32_t message)
    {
        Slot& slot = slot_of(pair(from, to), pair(context, tag));
        if (slot.waiting > 0 && slot.sends != sends) {
            const std::uint32_t oldest = slot.first;
            slot.first = next_[oldest];
            --slot.waiting;
            return oldest;
        }
        if (slot.waiting++ == 0)
            slot.first = message;
        else
            next_[slot.last] = message;
        slot.last = message;
        slot.sends = sends;
        return std::nullopt;
    }

private:
    struct Slot {
        std::uint64_t ranks = 0, rest = 0;
        std::uint32_t first = 0, last = 0, waiting = 0;
        std::uint32_t used : 31 = 0;  ///< the turn of its last use
        std::uint32_t sends : 1 = 0;
    };

    static std::uint64_t pair(int left, int right)
    {
        constexpr unsigned word = 32;
        return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << word |
               static_cast<std::uint32_t>(right);
    }

    Slot& slot_of(std::uint64_t ranks, std::uint64_t rest)
    {
        constexpr unsigned half = 32;
        std::uint64_t hash = (ranks ^ rest * 0xbf58476d1ce4e5b9U) * 0x9e3779b97f4a7c15U;
        hash ^= hash >> half;
        for (std::size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
            Slot& slot = slots_[at];
            if (slot.used == now_ && (slot.ranks != ranks || slot.rest != rest)) continue;
            if (slot.used != now_) {
                slot = {.ranks = ranks, .rest = rest};
                slot.used = now_;
            }
            return slot;
        }
    }

    std::vector<Slot> slots_;
    std::vector<std::uint32_t> next_;
    std::uint32_t now_ : 31 = 0;
};

}  // namespace laneway
