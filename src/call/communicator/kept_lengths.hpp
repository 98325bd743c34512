// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/catalogue.hpp"
#include "collectives/node_blocks.hpp"

namespace laneway {

/// The lengths of blocks that processes told each other in the latest blocking call of a collective. A call with the
/// lengths of the last one is common: then each process says only that its own are the same. Those who tell each other
/// all find it alike, and none of them tells its lengths again.
class KeptLengths {
public:
    std::vector<std::int64_t> own;  ///< those that the process told,
    std::vector<std::int64_t> all;  ///< those that it was told, of a row or of blocks that pass by,
    std::shared_ptr<const NodeBlocks> blocks = {};  ///< or of the blocks of its node

    /// Whether processes are to ask each other if their lengths are the last call's. To be called once in each call.
    /// Where lengths differ from call to call, they ask in fewer and fewer calls.
    bool are_asked_for()
    {
        if (!known_ || calls_ < pause_) {
            ++calls_;
            return false;
        }
        calls_ = 0;
        return true;
    }
    /// To be called with the answer of all.
    void answer(bool are_the_same)
    {
        constexpr int longest_pause = 64;
        pause_ = are_the_same ? 0 : std::min(2 * pause_ + 1, longest_pause);
    }
    /// To be called once lengths have been told: those are kept.
    void keep() { known_ = true; }

private:
    bool known_ = false;
    int calls_ = 0, pause_ = 0;  ///< calls without a question, and how many there are to be
};

/// The lengths that are kept on a communicator.
class AllKeptLengths {
public:
    /// The lengths of a collective, where `circle` are told them. `root`: that of a gatherv or scatterv.
    KeptLengths& of(Collective collective, const Circle& circle, std::optional<int> root)
    {
        const Key key{collective, circle, root};
        for (auto& [known, kept] : kept_)
            if (known == key) return kept;
        constexpr std::size_t most = 8;  // calls at several roots
        if (kept_.size() == most) kept_.pop_front();
        return kept_.emplace_back(key, KeptLengths()).second;
    }

private:
    struct Key {
        Collective collective;
        Circle circle;
        std::optional<int> root;
        bool operator==(const Key&) const = default;
    };
    std::list<std::pair<Key, KeptLengths>> kept_;
};

}  // namespace laneway
