// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "data/packing.hpp"
#include "node/arrival.hpp"

namespace laneway {

class JointCopy;

/// Memory of ours for the bytes of a message. Where it is short it stays for the next message: an operation that is
/// started again and again takes none from the system.
class OwnBytes {
public:
    /// Throws std::bad_alloc.
    std::byte* take(std::size_t bytes)
    {
        if (!memory_ || bytes > room_) {
            memory_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
            room_ = bytes;
        }
        in_use_ = true;
        return memory_.get();
    }
    void give_back()
    {
        in_use_ = false;
        if (room_ <= kept_at_most) return;
        memory_.reset();
        room_ = 0;
    }
    explicit operator bool() const { return in_use_; }

private:
    static constexpr std::size_t kept_at_most = 64 << 10;

    std::unique_ptr<std::byte[]> memory_;
    std::size_t room_ = 0;
    bool in_use_ = false;
};

/// A message of a node channel that is not over yet.
struct NodeMessage {
    enum class Stage : std::uint8_t {
        queued,   ///< sender: it leaves as there is room, in its turn
        asking,   ///< sender: the question whether it may come leaves in the same way
        waiting,  ///< sender: it waits for the answer
        granted,  ///< sender: it leaves as there is room, in its turn
        answers,  ///< receiver: the answer leaves
        posted,   ///< receiver: it is wanted, nothing of it has come
        asked,    ///< receiver: it may be asked for, nobody wants it yet
        comes,    ///< receiver: bytes come, be it to memory of ours
        joint,    ///< both sides copy
    };

    std::atomic<bool> done{false};
    Stage stage = Stage::queued;
    bool is_given_up = false;   ///< nobody will ask for its end
    bool is_withdrawn = false;  ///< sender: it lies elsewhere than the question said
    bool is_packed = false;     ///< receiver: to be unpacked from memory of ours at the end
    int peer = 0;
    std::int32_t tag = 0;
    std::uint16_t context = 0;
    std::byte* bytes = nullptr;
    std::int64_t length = 0;  ///< bytes; receiver: known when the message begins or is asked about
    std::int64_t room = 0;    ///< receiver: bytes that there is room for
    std::int64_t expected = any_length;  ///< receiver: the length that it knows
    std::int64_t moved = 0;
    std::uint64_t other = 0;        ///< the peer's name for it
    std::uint64_t there = 0;        ///< its address in the peer's memory
    std::uint32_t withdrawals = 0;  ///< receiver: the sender's withdrawals, when it asked
    JointCopy* copy = nullptr;      ///< the copy that both make; null: it comes by the ring
    bool is_received = false;       ///< this is the receiver's side of that copy
    OwnBytes own;                   ///< packed elements, or a message that nobody wants yet
    Elements elements{};            ///< receiver: where the bytes are unpacked to at the end
};

}  // namespace laneway
