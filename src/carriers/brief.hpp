// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "messages/comm.hpp"
#include "schedule/program.hpp"

namespace laneway {

/// A short program whose messages all stay within a node and fit into its channel as one piece each: carried out by one
/// thread from start to end, with no more than its memory traffic. Its messages are those that the text itself sends, so
/// other processes may carry out the text meanwhile. A send leaves at once, a receive takes what is there when it is
/// waited for. Where something finds no room or does not come soon, all receives that the text has under way by then
/// are posted, and it goes as other messages do.
class Brief {
public:
    /// What the bases of a program are at most: the caller's buffers and temporary memory.
    static constexpr std::size_t bases_at_most = 3;
    using Bases = std::array<std::byte*, bases_at_most>;

    /// Of a program of messages on `world`, which must outlive it; none where it has other things in it than such
    /// messages, copies and reductions of elements without gaps.
    static std::optional<Brief> of(const Program& program, const Comm& world);

    /// To its end, one at a time. Waits for others. `bases`: of the caller's buffers; `op`, one of MPI's own, for its
    /// reductions. Throws Error.
    void run(Bases bases, MPI_Op op) const;

private:
    enum class Kind : std::uint8_t { send, receive, wait, copy, reduce };

    /// A symbolic address, taken apart.
    struct Place {
        std::size_t base = 0;
        std::int64_t offset = 0;

        std::byte* in(const Bases& bases) const { return bases[base] + offset; }
    };
    struct Step {
        Kind kind = Kind::copy;
        std::uint16_t message = 0;  ///< its number
        std::int32_t tag = 0;
        std::int32_t peer = 0;    ///< rank in `world`
        std::int32_t member = 0;  ///< the same in the channel
        std::uint32_t bytes = 0;
        std::uint32_t count = 0;  ///< of elements; of messages, of a wait
        std::uint32_t first = 0;  ///< of these in awaited_
        MPI_Datatype type = MPI_DATATYPE_NULL;
        Place from, to;
    };
    class Execution;

    explicit Brief(const Comm& world) : world_(&world) {}
    bool add(const Program& program, const Operation& operation, std::uint16_t& messages);
    bool is_awaited_in_order() const;

    const Comm* world_;
    std::vector<Step> steps_;
    std::vector<std::uint16_t> message_steps_;  ///< by message
    std::vector<std::uint16_t> awaited_;        ///< messages, in the order of the waits
    std::size_t scratch_base_ = 0, scratch_bytes_ = 0;
    std::unique_ptr<std::byte[]> kept_;  ///< temporary memory, where it is little
};

}  // namespace laneway
