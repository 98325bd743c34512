// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "call/front/question.hpp"
#include "carriers/brief.hpp"

namespace laneway {

/// Short calls on a communicator within one node that were served before. The arguments of a call, but for addresses,
/// decide all about it. So the messages of a call with the same ones are known, and carried out at once
/// (carriers/brief.hpp). To find them out again takes several times as long as the messages do.
///
/// Each process keeps calls for itself: the messages are the same.
class Repeated {
public:
    /// All that decides what serves a call and how, but for addresses.
    struct Key {
        const char* collective = nullptr;  ///< `Call::name`, which is one pointer
        Question question = {};
        std::array<std::int64_t, 2> counts = {};
        std::int64_t root = 0;
        std::optional<std::string_view> algorithm = {};  ///< as the call names it, if it does

        bool operator==(const Key&) const = default;
    };

    /// A base of a program: which of the significant data it is, and the bytes of it there.
    struct Base {
        std::size_t data;
        std::int64_t bytes;
    };
    using Bases = std::array<std::optional<Base>, 2>;

    /// The messages that serve a call, and the algorithm that they come from.
    struct Served {
        Brief brief;
        const char* algorithm;
        Bases bases;
    };

    bool is_empty() const { return !sets_; }

    /// The messages for a call; null: they are not known.
    const Served* find(const Key& key)
    {
        Slot* const slot = known(key);
        if (!slot || !slot->served) return nullptr;
        slot->worth = most_worth;
        return slot->served.get();
    }

    /// To be called when the call with that key, which `may` be served again, is served. True: it was served before,
    /// and nothing is known of it yet.
    template <class May>
    bool is_to_be_kept(const Key& key, const May& may)
    {
        if (!sets_) make_sets();
        if (const Slot* const slot = known(key)) return !slot->is_tried;
        if (!may()) return false;
        Slot& least = *std::ranges::min_element(set_of(key), {}, &Slot::worth);
        if (least.worth > 0 && --least.worth > 0) return false;
        least = Slot{.key = key};
        if (key.algorithm) least.key.algorithm = least.algorithm = *key.algorithm;
        return false;
    }

    /// Keeps the messages for a call that is to be kept; null: such calls go the ordinary way.
    void keep(const Key& key, std::unique_ptr<const Served> served)
    {
        Slot& slot = *known(key);
        slot.is_tried = true;
        slot.served = std::move(served);
    }

private:
    /// Calls that want the place of a call before it gives way: if it was not made meanwhile, and if it was made
    /// only once.
    static constexpr int most_worth = 16, new_worth = 4;

    struct Slot {
        Key key = {};
        std::string algorithm = {};
        std::unique_ptr<const Served> served = {};
        int worth = new_worth;  ///< 0: the slot is empty
        bool is_tried = false;
    };
    /// Calls that may take one another's place.
    using Set = std::array<Slot, 4>;
    static constexpr std::size_t sets = 16;

    void make_sets()
    {
        sets_ = std::make_unique<std::array<Set, sets>>();
        for (Set& set : *sets_)
            for (Slot& slot : set) slot.worth = 0;
    }

    /// The slot of a call; null: there is none.
    Slot* known(const Key& key) const
    {
        Set& set = set_of(key);
        Slot* const slot = std::ranges::find(set, key, &Slot::key);
        return slot == set.end() ? nullptr : slot;
    }

    Set& set_of(const Key& key) const
    {
        constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
        std::uint64_t mixed = (std::uint64_t)key.collective;  // NOLINT: number
        const auto mix = [&](std::uint64_t word) { mixed = (mixed ^ word) * golden; };
        mix(static_cast<std::uint64_t>(key.counts[0]));
        mix(static_cast<std::uint64_t>(key.counts[1]) + static_cast<std::uint64_t>(key.root));
        mix((std::uint64_t)key.question.one);                     // NOLINT: a number or an address
        mix((std::uint64_t)key.question.op + key.question.form);  // NOLINT: the same
        for (const char letter : key.algorithm.value_or(""))
            mix(static_cast<std::uint64_t>(letter));
        return (*sets_)[(mixed >> 40) % sets];
    }

    std::unique_ptr<std::array<Set, sets>> sets_;
};

}  // namespace laneway
