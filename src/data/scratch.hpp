// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "data/buffer.hpp"

namespace laneway {

/// Temporary memory for `count` elements of `type`, freed with its scope. It is the one place that
/// knows that data need not begin at the address of an element. The buffer is shifted by the true
/// lower bound, and spans the true extent of its last element.
class Scratch {
public:
    Scratch(std::int64_t count, MPI_Datatype type);
    Scratch(Scratch&& other) noexcept
        : memory_(std::move(other.memory_)),
          recorded_(std::exchange(other.recorded_, nullptr)),
          bytes_(other.bytes_),
          buffer_(other.buffer_)
    {
    }
    ~Scratch();

    const Buffer& buffer() const { return buffer_; }

    /// Most bytes of scratch memory that the calling thread held at once since `reset_peak`; how
    /// the tests prove the bounds that the documentation states.
    static std::size_t peak();
    static void reset_peak();

private:
    struct Free {
        void operator()(void* memory) const;
    };
    std::unique_ptr<void, Free> memory_;
    void* recorded_ = nullptr;  ///< in the stead of memory_, where it is recorded
    std::size_t bytes_ = 0;
    Buffer buffer_;
};

}  // namespace laneway
