// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "node/joint_copy.hpp"
#include "node/message.hpp"

namespace laneway {

/// The messages that this process and another one copy together. Both share a JointCopy of each, which lies in memory
/// of the channel: `each` of them for each process that receives.
class JointCopies {
public:
    static constexpr int each = 32;
    static std::size_t bytes(int processes)
    {
        return static_cast<std::size_t>(processes) * each * sizeof(JointCopy);
    }

    /// `ids` of all processes, where each may enter each other one's memory, else none.
    void place(std::byte* memory, int self, std::vector<pid_t> ids)
    {
        memory_ = reinterpret_cast<JointCopy*>(memory);
        self_ = self;
        ids_ = std::move(ids);
    }

    /// @name The copy of a message, by the number that its receiver says
    /// @{
    JointCopy* of(int receiver, std::int64_t number) const { return first_of(receiver) + number; }
    std::int64_t number_of(const JointCopy* own) const { return own - first_of(self_); }
    /// @}

    /// Begins the copy of a message that this process receives; null: it comes by the ring.
    JointCopy* begin()
    {
        if (ids_.empty()) return nullptr;
        for (JointCopy* copy = first_of(self_); copy != first_of(self_ + 1); ++copy)
            if (copy->begin()) return copy;
        return nullptr;
    }

    /// Both sides know of the copy: this side copies from now on.
    void join(NodeMessage& message)
    {
        message.stage = NodeMessage::Stage::joint;
        under_way_.push_back(&message);
        number_ = under_way_.size();
    }
    bool are_under_way() const { return number_ != 0; }

    /// Copies a block of each message; true: something has moved. Calls `conclude(message)` for messages that are done.
    template <class Conclude>
    bool copy(const Conclude& conclude)
    {
        bool moved = false;
        std::erase_if(under_way_, [&](NodeMessage* one) {
            moved = one->copy->copy_block({ids_[static_cast<std::size_t>(one->peer)], one->there,
                                           one->bytes, one->length, one->is_received}) ||
                    moved;
            if (!one->copy->is_done(one->length)) return false;
            conclude(*one);
            return moved = true;
        });
        number_ = under_way_.size();
        return moved;
    }

    /// The receiver of a message no longer wants it: from now on neither side touches the other's memory.
    void give_up(NodeMessage& message)
    {
        message.copy->give_up(message.length, ids_[static_cast<std::size_t>(message.peer)]);
        std::erase(under_way_, &message);
        number_ = under_way_.size();
    }

private:
    JointCopy* first_of(int receiver) const { return memory_ + std::ptrdiff_t{receiver} * each; }

    JointCopy* memory_ = nullptr;
    int self_ = 0;
    std::vector<pid_t> ids_;
    std::vector<NodeMessage*> under_way_;
    std::atomic<std::size_t> number_{0};  ///< how many these are, looked at without the lock
};

}  // namespace laneway
