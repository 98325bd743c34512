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

/// A short program whose messages all stay within a node and fit into its channel as one piece each. One thread carries
/// it out from start to end, with no more than its memory traffic. Its messages are those that the algorithm itself
/// sends, so other processes may carry out the algorithm meanwhile. A send leaves at once; a receive takes the message
/// when it is waited for. Where a message finds no room or does not come soon, all receives that the algorithm has
/// under way by then are posted. That message goes as others do.
class Brief {
public:
    /// The most bases of a program: the caller's buffers and temporary memory.
    static constexpr std::size_t bases_at_most = 3;
    using Bases = std::array<std::byte*, bases_at_most>;

    /// The brief form of a program of messages on `world`, which must outlive it. None where the program has operations
    /// other than such messages, and copies and reductions of elements without gaps.
    static std::optional<Brief> of(const Program& program, const Comm& world);

    /// Carries it out to its end, one execution at a time. Waits for others. `bases`: those of the caller's buffers;
    /// `op`, one of MPI's own, is for its reductions. Throws Error.
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
        std::int32_t member = 0;  ///< its number in the channel
        std::uint32_t bytes = 0;
        std::uint32_t count = 0;  ///< elements; of a wait, messages
        std::uint32_t first = 0;  ///< the place of a wait's messages in awaited_
        MPI_Datatype type = MPI_DATATYPE_NULL;
        Place from, to;
    };
    class Execution;

    explicit Brief(const Comm& world) : world_(&world) {}
    bool add(const Program& program, const Operation& operation, std::uint16_t& messages);
    bool is_awaited_in_order() const;

    const Comm* world_;
    std::vector<Step> steps_;
    std::vector<std::uint16_t> message_steps_;  ///< the steps of messages, by message
    std::vector<std::uint16_t> awaited_;        ///< messages, in the order of the waits
    std::size_t scratch_base_ = 0, scratch_bytes_ = 0;
    std::unique_ptr<std::byte[]> kept_;  ///< temporary memory, where it is little
};

}  // namespace laneway
