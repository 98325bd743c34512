// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace laneway {

/// What one process writes to one other in memory that both have mapped: records in order, of a slot of one cache
/// line each. What doesn't fit in there lies in a row of bytes beside the slots. All bytes zero: an empty ring.
///
/// A slot says itself that it is full, as Lamport's queue does with its items in FastForward (Giacomoni, Moseley and
/// Vachharajani 2008, Section 3): a short record is one line on its way, and neither side reads the other's position.
class Ring {
public:
    enum class Kind : std::uint8_t {
        first,  ///< a message of `number` bytes begins
        more,   ///< it goes on
        ask,  ///< sender: a message of `number` bytes, by what name (`other`) it is to be asked for
        grant,  ///< receiver: message `number` may come, to what is called `other`, or is copied by both
        begin,  ///< the message that was granted to `other` begins
    };

    struct Head {
        std::int32_t tag;
        std::uint16_t context;
        Kind kind;
        std::uint32_t bytes;  ///< that follow in this record
        std::uint64_t number;
        std::uint64_t other;
    };

    static constexpr std::uint32_t slots = 64;
    static constexpr std::size_t line = 64;

private:
    struct alignas(line) Slot {
        std::atomic<std::uint32_t> stamp;  ///< position of its record, plus 1
        std::uint32_t offset;              ///< of its bytes among those beside the slots
        Head head;
        static constexpr std::size_t room = line - 8 - sizeof(Head);
        std::array<std::byte, room> bytes;
    };
    static_assert(sizeof(Slot) == line);

    struct Shared {
        alignas(line) std::atomic<std::uint32_t> consumed;
        std::atomic<std::uint32_t> withdrawn;  ///< what the writer has taken back, in all
        std::atomic<std::uint64_t> wanted;     ///< what the reader has had a use for, in all
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

        /// False: there is no room at present. A record has at most a quarter of the ring's bytes.
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

        /// As the reader has said it. See Reader::want().
        std::uint64_t wanted() const { return shared_->wanted.load(std::memory_order_relaxed); }

        /// Whatever this side does afterwards, the other one sees it after this. See Reader::withdrawn().
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
        std::uint64_t end_ = 0;        ///< of what was written beside the slots
        std::uint64_t free_from_ = 0;  ///< the same as far as it was consumed
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

        /// So much of what the writer wrote is kept for nobody: it learns that by and by.
        void want(std::uint64_t more) { wanted_ += more; }

        /// What this side did before, it did before the writer took back anything that isn't counted here.
        std::uint32_t withdrawn() const
        {
            std::atomic_thread_fence(std::memory_order_seq_cst);
            return shared_->withdrawn.load(std::memory_order_relaxed);
        }

    private:
        /// A quarter of the ring: what the writer is told takes a line from one process to the other and back, as a short
        /// record does. It learns all before the reader waits.
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
