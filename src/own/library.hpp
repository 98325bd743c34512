// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <utility>

#include "mpi/buffer.hpp"
#include "mpi/comm.hpp"
#include "mpi/partition.hpp"

namespace laneway::own {

/// An MPI library that is only described. While one is current, components that are recorded are its collectives in
/// place of ours: as in the mock-ups of Traeff and Hunold 2020 (Section 3), which call the library on nodes and
/// lanes. Arguments are those of own.hpp.
class Library {
public:
    /// Whose the components of short messages are (own/plain.hpp): ours, as in a program; or the library's like all
    /// others, as in mock-ups.
    enum class Short { ours, librarys };

    /// Null: components are ours. So they are in segments that may be under way at once (see own.hpp), where a
    /// library's begin in another order on each rank: also in one that is alone.
    static const Library* current();

    /// Until its end, components on this thread are ours.
    class Aside {
    public:
        Aside() : aside_(std::exchange(current_, nullptr)) {}
        Aside(const Aside&) = delete;
        Aside& operator=(const Aside&) = delete;
        ~Aside() { current_ = aside_; }

    private:
        const Library* aside_;
    };

    /// Not within a call that it serves: there all are its own.
    Short short_ones() const { return serving_ ? Short::librarys : short_; }
    /// One of its quirks (mpi/quirks.hpp).
    bool slow_in_pairs() const { return slow_in_pairs_; }

    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    virtual void bcast(const Buffer& data, int root, const Comm& comm) const = 0;
    virtual void reduce(const Buffer& input, const Buffer& result, MPI_Op op, int root,
                        const Comm& comm) const = 0;
    virtual void scatter(const Buffer& whole, const Buffer& mine, int root,
                         const Comm& comm) const = 0;
    virtual void gather(const Buffer& mine, const Buffer& whole, int root,
                        const Comm& comm) const = 0;
    virtual void barrier(const Comm& comm) const = 0;
    virtual void allgather(const Buffer& mine, const Buffer& whole, const Comm& comm) const = 0;
    virtual void alltoall(const Buffer& input, const Buffer& result, const Comm& comm) const = 0;
    virtual void allreduce(const Buffer& input, const Buffer& result, MPI_Op op,
                           const Comm& comm) const = 0;
    virtual void reduce_scatter_block(const Buffer& input, const Buffer& result, MPI_Op op,
                                      const Comm& comm) const = 0;
    virtual void scan(const Buffer& input, const Buffer& result, MPI_Op op,
                      const Comm& comm) const = 0;
    virtual void exscan(const Buffer& input, const Buffer& result, MPI_Op op,
                        const Comm& comm) const = 0;

    /// @name Vector collectives; as those that Laneway has, with blocks that differ by an element at most
    /// @{
    virtual void scatterv(const Buffer& whole, const Buffer& mine, const Partition& part, int root,
                          const Comm& comm) const = 0;
    virtual void gatherv(const Buffer& mine, const Buffer& whole, const Partition& part, int root,
                         const Comm& comm) const = 0;
    virtual void allgatherv(const Buffer& mine, const Buffer& whole, const Partition& part,
                            const Comm& comm) const = 0;
    virtual void reduce_scatter(const Buffer& input, const Buffer& result, const Partition& part,
                                MPI_Op op, const Comm& comm) const = 0;
    /// @}

protected:
    /// Becomes current on this thread, until its end.
    Library(Short short_ones, bool slow_in_pairs)
        : short_(short_ones),
          slow_in_pairs_(slow_in_pairs),
          outer_(std::exchange(current_, this))
    {
    }
    virtual ~Library() { current_ = outer_; }

    /// While it serves a call.
    class Serving {
    public:
        explicit Serving(const Library& library)
            : library_(library),
              outer_(std::exchange(library.serving_, true))
        {
        }
        Serving(const Serving&) = delete;
        Serving& operator=(const Serving&) = delete;
        ~Serving() { library_.serving_ = outer_; }

    private:
        const Library& library_;
        bool outer_;
    };

private:
    static inline thread_local const Library* current_ __attribute__((tls_model("initial-exec"))) =
        nullptr;
    Short short_;
    bool slow_in_pairs_;
    mutable bool serving_ = false;
    const Library* outer_;
};

}  // namespace laneway::own
