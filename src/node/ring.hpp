// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace laneway {

/// The records that one process writes to one other, in order, in memory that both have mapped. Each has a slot of one
/// cache line. Bytes that don't fit in there lie in a row beside the slots. A ring whose bytes are all zero is empty.
///
/// A slot says itself that it is full, as the items of Lamport's queue do in FastForward (Giacomoni, Moseley and
/// Vachharajani 2008, Section 3). So a short record is one line on its way, and neither side reads the other's
/// position.
class Ring {
public:
    enum class Kind : std::uint8_t {
        first,  ///< a message of `number` bytes begins
        more,   ///< the message goes on
        ask,  ///< sender: a message of `number` bytes is there, to be asked for by the name `other`
        grant,  ///< receiver: message `number` may come, to receive `other`, or is copied by both
        begin,  ///< the message that was granted to `other` begins
    };

    struct Head {
        std::int32_t tag;
        std::uint16_t context;
        Kind kind;
        std::uint32_t bytes;  ///< bytes that follow in this record
        std::uint64_t number;
        std::uint64_t other;
    };

    static constexpr std::uint32_t slots = 64;
    static constexpr std::size_t line = 64;

private:
    struct alignas(line) Slot {
        std::atomic<std::uint32_t> stamp;  ///< position of its record, plus 1
        std::uint32_t offset;              ///< place of its bytes among those beside the slots
        Head head;
        static constexpr std::size_t room = line - 8 - sizeof(Head);
        std::array<std::byte, room> bytes;
    };
    static_assert(sizeof(Slot) == line);

    struct Shared {
        alignas(line) std::atomic<std::uint32_t> consumed;
        std::atomic<std::uint32_t> withdrawn;  ///< messages that the writer has taken back, in all
        std::atomic<std::uint64_t> wanted;     ///< bytes that the reader has had a use for, in all
        std::array<Slot, slots> slot;
        std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }
    };

public:
    /// Bytes of a ring with `room` bytes beside its slots, a multiple of a line.
    static constexpr std::size_t bytes(std::size_t room) { return sizeof(Shared) + room; }

    /// The end of the process that writes.
    class Writer {
    public:
        Writer() = default;
        Writer(void* memory, std::size_t room) : shared_(static_cast<Shared*>(memory)), room_(room)
        {
        }

        /// Writes a record; false: there is no room at present. It has at most a quarter of the ring's bytes.
        bool put(const Head& head, const void* bytes = "")
        {
            const bool within = head.bytes <= Slot::room;
            const std::uint64_t length = within ? 0 : (head.bytes + line - 1) / line * line;
            const std::uint64_t at = end_ % room_;
            const std::uint64_t start = at + length <= room_ ? end_ : end_ - at + room_;
            if (!has_room(start + length)) {
                look();
                if (!has_room(start + length)) return false;
            }
            Slot& slot = shared_->slot[next_ % slots];
            slot.head = head;
            if (within) {
                if (head.bytes > 0) std::memcpy(slot.bytes.data(), bytes, head.bytes);
            } else {
                slot.offset = static_cast<std::uint32_t>(start % room_);
                std::memcpy(shared_->data() + slot.offset, bytes, head.bytes);
                end_ = start + length;
            }
            ends_[next_ % slots] = end_;
            slot.stamp.store(++next_, std::memory_order_release);
            return true;
        }

        /// The bytes that the reader has wanted, as it has said. See Reader::want().
        std::uint64_t wanted() const { return shared_->wanted.load(std::memory_order_relaxed); }

        /// Counts a message that is taken back. Whatever this side does afterwards, the other one sees it after this.
        /// See Reader::withdrawn().
        void withdraw()
        {
            shared_->withdrawn.fetch_add(1, std::memory_order_relaxed);
            std::atomic_thread_fence(std::memory_order_seq_cst);
        }
        std::uint32_t withdrawn() const
        {
            return shared_->withdrawn.load(std::memory_order_relaxed);
        }

    private:
        bool has_room(std::uint64_t end) const
        {
            return next_ - consumed_ < slots && end - free_from_ <= room_;
        }
        void look()
        {
            const std::uint32_t now = shared_->consumed.load(std::memory_order_acquire);
            if (now == consumed_) return;
            consumed_ = now;
            free_from_ = ends_[(now - 1) % slots];
        }

        Shared* shared_ = nullptr;
        std::uint64_t room_ = 0;
        std::uint32_t next_ = 0;
        std::uint32_t consumed_ = 0;   ///< as it was seen last
        std::uint64_t end_ = 0;        ///< end of the bytes written beside the slots
        std::uint64_t free_from_ = 0;  ///< end of these bytes as far as they were consumed
        std::array<std::uint64_t, slots> ends_{};
    };

    /// The end of the process that reads.
    class Reader {
    public:
        Reader() = default;
        explicit Reader(void* memory) : shared_(static_cast<Shared*>(memory)) {}

        /// The record that is next; null: none is there.
        const Head* front()
        {
            const Slot& slot = shared_->slot[next_ % slots];
            if (slot.stamp.load(std::memory_order_acquire) == next_ + 1) return &slot.head;
            if (said_ != next_) say();
            return nullptr;
        }
        const std::byte* bytes() const
        {
            const Slot& slot = shared_->slot[next_ % slots];
            return slot.head.bytes <= Slot::room ? slot.bytes.data()
                                                 : shared_->data() + slot.offset;
        }
        void pop()
        {
            unsaid_bytes_ += shared_->slot[next_ % slots].head.bytes;
            ++next_;
            if (next_ - said_ >= said_each || unsaid_bytes_ >= said_each * line) say();
        }

        /// Counts so many more of the writer's bytes that need not be kept. The writer learns that by and by.
        void want(std::uint64_t more) { wanted_ += more; }

        /// How many messages the writer has taken back. Whatever this side did before, it did before the writer took
        /// back any that isn't counted here.
        std::uint32_t withdrawn() const
        {
            std::atomic_thread_fence(std::memory_order_seq_cst);
            return shared_->withdrawn.load(std::memory_order_relaxed);
        }

    private:
        /// Slots after which the writer is told, a quarter of the ring. To tell it takes a line from one process to the
        /// other and back, as a short record does. The writer learns all before the reader waits.
        static constexpr std::uint32_t said_each = slots / 4;

        void say()
        {
            shared_->wanted.store(wanted_, std::memory_order_relaxed);
            shared_->consumed.store(next_, std::memory_order_release);
            said_ = next_;
            unsaid_bytes_ = 0;
        }

        Shared* shared_ = nullptr;
        std::uint32_t next_ = 0, said_ = 0;
        std::uint64_t unsaid_bytes_ = 0;
        std::uint64_t wanted_ = 0;
    };
};

}  // namespace laneway
