// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iterator>
#include <memory>

#include "call/front/vector.hpp"

namespace laneway {

/// An alltoallv in wire form. A process knows the lengths of the blocks that it sends and receives, until it hears of
/// those of its node.
class WiredBetweenPairs {
public:
    /// Blocks in the order of ranks; each part of `part` has one rank's blocks together.
    struct Row {
        const Blocks& blocks;
        int size;
        Partition part;
    };
    /// `input`: none where it is in place.
    WiredBetweenPairs(const std::optional<Row>& input, const Row& result, const Comm& world)
        : result_(result.blocks, result.size, result.part, byte_unit(), world)
    {
        if (input) input_.emplace(input->blocks, input->size, input->part, byte_unit(), world);
    }

    /// The lengths that the process sends, and then those that it receives.
    Lengths lengths() const
    {
        Lengths lengths{lengths_of(sent().part())};
        std::ranges::copy(lengths_of(result_.part()), std::back_inserter(lengths.own));
        return lengths;
    }
    void hear(std::shared_ptr<const NodeBlocks> blocks) { node_ = std::move(blocks); }
    void hear(std::int64_t longest) { longest_ = longest; }
    void hear(std::vector<std::int64_t> passing) { passing_ = std::move(passing); }

    std::array<Packing, 2> packings() const
    {
        if (!input_) return {{result_.both(), {}}};
        return {{input_->out(), result_.in()}};
    }
    Alltoallv call() const
    {
        return {sent().buffer(), sent().part(), result_.buffer(), result_.part(),
                node_.get(),     longest_,      passing_};
    }

private:
    const VectorWire& sent() const { return input_ ? *input_ : result_; }

    VectorWire result_;
    std::optional<VectorWire> input_;
    std::shared_ptr<const NodeBlocks> node_;  ///< once the process has heard of them
    std::int64_t longest_ = 0;                ///< once the process has heard of it
    std::vector<std::int64_t> passing_;       ///< once the process has heard of them
};

struct AlltoallvArguments {
    using Call = Alltoallv;
    Blocks input;
    Blocks result;
    MPI_Comm comm;

    bool acceptable(Member me) const
    {
        return result.acceptable(me.size) && (input.in_place() || input.acceptable(me.size));
    }
    int without_data(MPI_Comm alone, Member me) const
    {
        const int code = input.in_place() ? MPI_SUCCESS : types_without_data(input, me.size, alone);
        return code == MPI_SUCCESS ? types_without_data(result, me.size, alone) : code;
    }
    Question question(Member me) const
    {
        const auto received = one_type(result, me.size);
        const auto sent = input.in_place() ? received : one_type(input, me.size);
        return {sent.value_or(MPI_DATATYPE_NULL), received.value_or(MPI_DATATYPE_NULL), MPI_OP_NULL,
                unsigned{input.in_place()}, sent && received};
    }
    std::array<Data, 2> significant(Member me) const
    {
        return {input.in_place() ? no_data : input.all(me.size), result.all(me.size)};
    }
    bool is_aliased(Member) const { return false; }

    std::optional<Facts> facts(Member) const { return of_unknown_lengths; }
    /// The bytes of the mean block, as those of any block of an alltoall.
    std::int64_t own_bytes(Member me) const
    {
        return (input.in_place() ? result : input).bytes_of_all(me.size) / me.size;
    }

    class Wired : public WiredBetweenPairs {
    public:
        Wired(const AlltoallvArguments& front, const Comm& world)
            : WiredBetweenPairs(
                  front.input.in_place() ? std::nullopt : std::optional(row(front.input, world)),
                  row(front.result, world), world)
        {
        }

    private:
        static Row row(const Blocks& blocks, const Comm& world)
        {
            return {blocks, world.size(), blocks.part(world.size(), 1)};
        }
    };
};

struct AlltoallvFront : AlltoallvArguments {
    static constexpr const auto& library = real::Alltoallv;
    int by(const auto& function, auto... more) const
    {
        const auto [sent, places_sent] = sized(input, comm);
        const auto [received, places_received] = sized(result, comm);
        return function(input.address, sent, places_sent, input.type,
                        const_cast<void*>(result.address), received, places_received, result.type,
                        comm, more...);
    }
};

/// On the wire it is an alltoallv, by whose algorithms and rules it is served.
struct AlltoallwFront : AlltoallvArguments {
    static constexpr const char* name = "alltoallw";
    static constexpr const auto& library = real::Alltoallw;
    int by(const auto& function, auto... more) const
    {
        const auto [sent, places_sent] = sized(input, comm);
        const auto [received, places_received] = sized(result, comm);
        return function(input.address, sent, places_sent, input.types,
                        const_cast<void*>(result.address), received, places_received, result.types,
                        comm, more...);
    }
    bool acceptable(Member me) const
    {
        return result.types && (input.in_place() || input.types) &&
               AlltoallvArguments::acceptable(me);
    }
};

}  // namespace laneway
