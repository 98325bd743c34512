// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "call/question.hpp"
#include "carriers/brief.hpp"

namespace laneway {

/// Short calls on a communicator within one node that were served before: of a call with the same arguments but for
/// addresses, all is known that those decide, and its messages are carried out at once (carriers/brief.hpp). To find
/// that out again takes several times as long as the messages do.
///
/// Each process keeps calls for itself: the messages are the same.
class Repeated {
public:
    /// All that decides what serves a call and how, but for addresses.
    struct Key {
        const char* collective = nullptr;
        Question question = {};
        std::array<std::int64_t, 2> counts = {};
        std::int64_t root = 0;
        std::string_view algorithm = {};  ///< as the call names it

        bool operator==(const Key&) const = default;
    };

    /// What serves.
    struct Served {
        Brief brief;
        const char* algorithm;
        /// Of each base, which of the significant data it is, and bytes that it has there.
        struct Base {
            std::size_t data;
            std::int64_t bytes;
        };
        std::array<std::optional<Base>, 2> bases;
    };

    bool is_empty() const { return !slots_; }

    /// Null: it is not known.
    const Served* find(const Key& key) const
    {
        Slot& slot = slot_of(key);
        if (slot.key != key) return nullptr;
        slot.worth = most_worth;
        return slot.served.get();
    }

    /// That call is served now. True: it was so before, and nothing is known of it yet.
    bool is_to_be_learnt(const Key& key)
    {
        if (!slots_) slots_ = std::make_unique<std::array<Slot, slots>>();
        Slot& slot = slot_of(key);
        if (slot.key == key) return !slot.is_tried;
        if (slot.worth > 0) return --slot.worth, false;
        slot = Slot{.key = key, .algorithm = std::string(key.algorithm), .served = nullptr};
        slot.key.algorithm = slot.algorithm;
        return false;
    }

    /// What is known of it; null: such calls go the ordinary way.
    void learn(const Key& key, std::unique_ptr<const Served> served)
    {
        Slot& slot = slot_of(key);
        slot.is_tried = true;
        slot.served = std::move(served);
    }

private:
    /// Others that want its place come before a call gives way that was not made since.
    static constexpr int most_worth = 16;
    static constexpr std::size_t slots = 32;

    struct Slot {
        Key key;
        std::string algorithm;
        std::unique_ptr<const Served> served;
        int worth = 0;
        bool is_tried = false;
    };

    Slot& slot_of(const Key& key) const
    {
        constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
        std::uint64_t mixed = (std::uint64_t)key.collective;  // NOLINT: number
        const auto mix = [&](std::uint64_t word) { mixed = (mixed ^ word) * golden; };
        mix(static_cast<std::uint64_t>(key.counts[0]));
        mix(static_cast<std::uint64_t>(key.counts[1]) + static_cast<std::uint64_t>(key.root));
        mix((std::uint64_t)key.question.one);                     // NOLINT: a number or an address
        mix((std::uint64_t)key.question.op + key.question.form);  // NOLINT: the same
        for (const char letter : key.algorithm) mix(static_cast<std::uint64_t>(letter));
        return (*slots_)[(mixed >> 40) % slots];
    }

    std::unique_ptr<std::array<Slot, slots>> slots_;
};

}  // namespace laneway
