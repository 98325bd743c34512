// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "call/communicator/kept_lengths.hpp"
#include "call/front/vector.hpp"
#include "collectives/algorithm.hpp"
#include "collectives/catalogue.hpp"
#include "data/buffer.hpp"
#include "data/partition.hpp"
#include "decomposition/decomposition.hpp"

namespace laneway {

/// The lengths of blocks that the processes of a node, or all, tell each other before an algorithm moves these, in
/// elements of the wire. If the processes of a node tell each other, both nodes of any pair know all blocks between
/// them. One node has told the lengths that are sent, the other those that are received. So they agree on every
/// message without a word between nodes.
class Telling {
public:
    /// `circle` is not Told::nobody.
    Telling(Lengths lengths, const Circle& circle, const Decomposition& on);

    /// The messages of the telling, with the memory of own() and all(), or with what stands for it in a program.
    /// Collective.
    void exchange(const Buffer& own, const Buffer& all) const;
    /// Their operator, if they reduce.
    MPI_Op op() const { return told() == Told::longest ? MPI_MAX : MPI_OP_NULL; }
    Buffer own() const { return buffer(own_); }
    Buffer all() const { return buffer(all_); }

    /// Carries them out, in a turn of their own.
    void carry_out() const;
    /// Takes the lengths of the last call, which are kept, if all find that theirs are the same. Else it is as above.
    void carry_out(KeptLengths& kept);

    /// @name Lengths, once the telling is over
    /// @{
    /// The lengths of a gatherv or scatterv. On the root's node, or where everyone is told, they are those of all
    /// blocks, elsewhere those of the node's own, the others 0.
    Partition row() const;
    /// The length of the longest block, where nothing else is told.
    std::optional<std::int64_t> longest() const
    {
        return told() == Told::longest ? std::optional(all_.front()) : std::nullopt;
    }
    /// The lengths of an alltoallv's blocks that pass by, where they are told: lengths_by_digits() (walks/digits.hpp).
    std::optional<std::vector<std::int64_t>> passing() const
    {
        return told() == Told::passing ? std::optional(all_) : std::nullopt;
    }
    /// The lengths of an alltoallv, each of whose processes has told those that it sends, and then those that it
    /// receives.
    std::shared_ptr<const NodeBlocks> blocks() const;
    /// @}

private:
    static Buffer buffer(const std::vector<std::int64_t>& lengths)
    {
        return {const_cast<std::int64_t*>(lengths.data()),
                static_cast<std::int64_t>(lengths.size()), MPI_INT64_T, sizeof(std::int64_t)};
    }

    std::vector<std::int64_t> begins_with(std::span<const std::int64_t> sent) const;
    bool are_all_kept(const KeptLengths& kept) const;
    Told told() const { return circle_.told; }
    const Comm& among() const { return told() == Told::node ? on_.node : on_.world; }

    Decomposition on_;
    Circle circle_;
    bool has_root_;
    std::optional<int> teller_;  ///< rank on the node, if one process alone tells
    std::vector<std::int64_t> own_, all_;
    std::shared_ptr<const NodeBlocks> blocks_;  ///< an alltoallv's, where they are kept
};

/// Whether a process knows only some lengths of a collective by itself.
template <class Call>
constexpr bool has_to_be_told =
    std::is_same_v<Call, Scatterv> || std::is_same_v<Call, Gatherv> || is_between_pairs<Call>;

/// The call in wire form takes up the lengths that have been told.
template <class Wired>
void hear(Wired& wired, const Telling& told)
{
    if constexpr (!requires { wired.hear(told.blocks()); })
        wired.hear(told.row());
    else if (const auto longest = told.longest())
        wired.hear(*longest);
    else if (auto passing = told.passing())
        wired.hear(std::move(*passing));
    else
        wired.hear(told.blocks());
}

}  // namespace laneway
