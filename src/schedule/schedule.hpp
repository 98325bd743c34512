// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "schedule/program.hpp"

namespace laneway {

/// The work of all ranks in a collective, in bytes instead of data: their programs without addresses, each message
/// with its other side. Small enough for a hundred thousand ranks. Data.
class Schedule {
public:
    struct Step {
        Operation::Kind kind;
        bool packs = false;     ///< handles data that do not lie in a row
        std::int32_t peer = 0;  ///< rank; of fork and join the strand
        std::int64_t bytes = 0;
    };
    /// Strands of a rank follow each other, the one that begins first.
    struct Strand {
        int rank;
        std::uint32_t first_step;
        std::uint32_t first_message;
    };
    /// A send or a receive, numbered through; those of a strand follow each other in its order.
    struct Message {
        std::uint32_t strand;
        std::uint32_t step;
        std::uint32_t partner;  ///< its other side
    };

    /// Adds the next rank.
    void add(const Program& program);

    /// Finds the other side of each message, once all ranks are there. Throws Unmatched.
    void match();

    int ranks() const { return static_cast<int>(first_strand_.size()); }
    std::uint32_t first_strand(int rank) const
    {
        return first_strand_[static_cast<std::size_t>(rank)];
    }
    const std::vector<Strand>& strands() const { return strands_; }
    const std::vector<Step>& steps() const { return steps_; }
    const std::vector<Message>& messages() const { return messages_; }

    /// One past the last step of a strand.
    std::uint32_t end_of(std::uint32_t strand) const
    {
        return strand + 1 < strands_.size() ? strands_[strand + 1].first_step
                                            : static_cast<std::uint32_t>(steps_.size());
    }
    const Step& step_of(std::uint32_t message) const { return steps_[messages_[message].step]; }
    int rank_of(std::uint32_t message) const { return strands_[messages_[message].strand].rank; }
    bool is_send(std::uint32_t message) const
    {
        return step_of(message).kind == Operation::Kind::send;
    }

    /// The messages that a wait is for.
    std::span<const std::uint32_t> awaited(const Step& wait) const
    {
        return std::span(awaited_).subspan(static_cast<std::size_t>(wait.bytes),
                                           static_cast<std::size_t>(wait.peer));
    }

    /// The most bytes of temporary memory of a rank.
    std::size_t scratch_bytes() const { return scratch_bytes_; }

private:
    void add_strand(const Program& program, const laneway::Strand& strand, std::uint32_t first);
    std::uint64_t key_of(const Program& program, const laneway::Strand& strand,
                         const Operation& operation) const;

    std::vector<std::uint32_t> first_strand_;
    std::vector<Strand> strands_;
    std::vector<Step> steps_;
    std::vector<std::uint32_t> awaited_;
    std::vector<Message> messages_;
    std::vector<std::uint64_t> keys_;  ///< keys of the messages, until they are matched
    std::size_t scratch_bytes_ = 0;
    struct Size {
        std::int64_t bytes;
        bool dense;
    };
    std::vector<Size> sizes_;  ///< sizes of the types of the program that is added
};

/// A message without another side, or one of another length, in words.
class Unmatched : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace laneway
