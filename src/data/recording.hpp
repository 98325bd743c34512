// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace laneway {

struct Buffer;
class Comm;

/// The recording that messages, temporaries, copies and reductions of the calling thread go to while it is
/// current. They are not carried out then. The one implementation is in schedule/recorder.hpp. The interface
/// stands here so that nothing below knows of schedules.
class Recording {
public:
    /// The current recording; null: everything is carried out.
    static Recording* current() { return current_; }

    virtual std::uint32_t send(const Comm& comm, const Buffer& data, int to, int tag) = 0;
    virtual std::uint32_t receive(const Comm& comm, const Buffer& data, int from, int tag) = 0;
    /// Waits for `count` messages, by the numbers that send and receive have given.
    virtual void wait(const std::uint32_t* messages, std::size_t count) = 0;
    virtual void copy(const Buffer& from, const Buffer& to) = 0;
    /// `result` becomes `left` op `result`.
    virtual void reduce(const Buffer& left, const Buffer& result) = 0;

    /// The start of `bytes` bytes of temporary memory.
    virtual void* allocate(std::size_t bytes) = 0;
    virtual void give_back(void* start, std::size_t bytes) = 0;

    /// Keeps a type whose owner's scope has ended; it is freed later.
    virtual void keep(MPI_Datatype type) = 0;

    /// Whether components are to send few bytes rather than need few rounds.
    virtual bool saves_bytes() const = 0;

    /// Whether a concurrent child is being recorded, be it the only one.
    virtual bool is_in_child() const = 0;

    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;

protected:
    /// Becomes current.
    Recording() : outer_(std::exchange(current_, this)) {}
    virtual ~Recording() { end(); }
    void end()
    {
        if (current_ == this) current_ = outer_;
    }

private:
    // Every wait looks at it, without a call for its address.
    static inline thread_local Recording* current_ __attribute__((tls_model("initial-exec"))) =
        nullptr;
    Recording* outer_;
};

}  // namespace laneway
