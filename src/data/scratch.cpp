// SPDX-License-Identifier: BSD-3-Clause
#include "data/scratch.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "data/recording.hpp"

namespace laneway {
namespace {

/// Bytes that the calling thread holds, signed: another thread may end an operation that this one has begun.
thread_local std::int64_t held = 0;
thread_local std::int64_t most = 0;

/// Whether the memory that the calling thread has kept is no more: requests may be freed after that.
thread_local bool is_over = false;

/// Memory that a thread has given back, kept for its next wants. The system clears each fresh page, which costs more
/// than to fill it by messages. Texts want the same few lengths again and again.
class Kept {
public:
    Kept() = default;
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;
    ~Kept()
    {
        drop(0, 0);
        is_over = true;
    }

    /// Takes a block of memory; null: there is none.
    void* take(std::size_t bytes)
    {
        for (std::size_t at = count_; at-- > 0;)
            if (blocks_[at].bytes == bytes) return remove(at);
        return std::malloc(bytes);
    }

    void give_back(void* memory, std::size_t bytes)
    {
        if (bytes < least || bytes > in_all) return std::free(memory);
        drop(blocks_.size() - 1, in_all - bytes);
        bytes_ += bytes;
        blocks_[count_++] = {memory, bytes};
    }

private:
    static constexpr std::size_t least = 64 << 10;  ///< shorter blocks come from pages in use
    static constexpr std::size_t in_all = 16 << 20;

    struct Block {
        void* memory;
        std::size_t bytes;
    };

    /// Frees the oldest blocks, until there are at most so many blocks and bytes.
    void drop(std::size_t blocks, std::size_t bytes)
    {
        while (count_ > blocks || bytes_ > bytes) std::free(remove(0));
    }

    void* remove(std::size_t at)
    {
        const Block block = blocks_[at];
        std::copy(blocks_.data() + at + 1, blocks_.data() + count_, blocks_.data() + at);
        --count_;
        bytes_ -= block.bytes;
        return block.memory;
    }

    std::array<Block, 8> blocks_{};  ///< the oldest first
    std::size_t count_ = 0;
    std::size_t bytes_ = 0;
};

thread_local Kept kept;

}  // namespace

void Scratch::Free::operator()(void* memory) const { std::free(memory); }

Scratch::Scratch(std::int64_t count, MPI_Datatype type) : buffer_(Buffer::of(nullptr, count, type))
{
    if (count == 0) {
        // An address all the same: null is MPI_BOTTOM, which may be another buffer of the call.
        static char nothing = 0;
        buffer_.data = &nothing;
        return;
    }
    const auto [lower_bound, true_extent] = true_extent_of(type);
    // Elements need not ascend: with a negative extent the last one lies lowest.
    const MPI_Aint last = (count - 1) * buffer_.extent;
    const MPI_Aint lowest = lower_bound + std::min<MPI_Aint>(0, last);
    bytes_ = static_cast<std::size_t>(true_extent + std::abs(last));
    if (Recording* const recording = Recording::current()) {
        // Elements without data are somewhere, too: two buffers at one address mean something else.
        bytes_ = std::max<std::size_t>(bytes_, 1);
        recorded_ = recording->allocate(bytes_);
        buffer_.data = advanced(recorded_, -lowest);
        return;
    }
    const std::size_t bytes = std::max<std::size_t>(bytes_, 1);
    memory_.reset(is_over ? std::malloc(bytes) : kept.take(bytes));
    if (!memory_) throw std::bad_alloc();
    buffer_.data = advanced(memory_.get(), -lowest);

    held += static_cast<std::int64_t>(bytes_);
    most = std::max(most, held);
}

Scratch::~Scratch()
{
    if (memory_) {
        held -= static_cast<std::int64_t>(bytes_);
        if (!is_over) kept.give_back(memory_.release(), std::max<std::size_t>(bytes_, 1));
    }
    if (recorded_) Recording::current()->give_back(recorded_, bytes_);
}

std::size_t Scratch::peak() { return static_cast<std::size_t>(std::max<std::int64_t>(most, 0)); }

void Scratch::reset_peak() { most = held; }

}  // namespace laneway
