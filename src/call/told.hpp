// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "call/front/vector.hpp"
#include "collectives/algorithm.hpp"
#include "collectives/catalogue.hpp"
#include "data/buffer.hpp"
#include "data/partition.hpp"
#include "decomposition/decomposition.hpp"

namespace laneway {

/// What the processes of a node, or all, tell each other of the lengths of their blocks, in elements of the wire, before an
/// algorithm moves these. If it is the node, both nodes of any pair know all blocks between them, as one has told the lengths that are
/// sent and the other those that are received: so they agree on every message without a word between nodes.
class Telling {
public:
    /// `circle`: not nobody.
    Telling(Lengths lengths, Told circle, const Decomposition& on);

    /// The text, with the memory of own() and all(), or what stands for it in a program. Collective.
    void text(const Buffer& own, const Buffer& all) const;
    /// The text's operator, if it has one.
    MPI_Op op() const { return circle_ == Told::longest ? MPI_MAX : MPI_OP_NULL; }
    Buffer own() const { return buffer(own_); }
    Buffer all() const { return buffer(all_); }

    /// Carries the text out, in a turn of its own.
    void carry_out() const;

    /// @name Once it is over
    /// @{
    /// Of a gatherv or scatterv, the lengths of all blocks on the root's node or where everyone is told, elsewhere those of the
    /// node's own, the others 0.
    Partition row() const;
    /// Of the longest block, where nothing else is told.
    std::optional<std::int64_t> longest() const
    {
        return circle_ == Told::longest ? std::optional(all_.front()) : std::nullopt;
    }
    /// Of an alltoallv, each of whose processes has told what it sends, and then what it receives.
    NodeBlocks blocks() const;
    /// @}

private:
    static Buffer buffer(const std::vector<std::int64_t>& lengths)
    {
        return {const_cast<std::int64_t*>(lengths.data()),
                static_cast<std::int64_t>(lengths.size()), MPI_INT64_T, sizeof(std::int64_t)};
    }

    const Comm& among() const { return circle_ == Told::node ? on_.node : on_.world; }

    Decomposition on_;
    Told circle_;
    std::optional<int> teller_;  ///< by rank on the node, if it is one alone
    std::vector<std::int64_t> own_, all_;
};

/// A vector collective of which a process knows some lengths alone.
template <class Call>
constexpr bool has_to_be_told =
    std::is_same_v<Call, Scatterv> || std::is_same_v<Call, Gatherv> || is_between_pairs<Call>;

/// The call in wire form takes up what has been told.
template <class Wired>
void hear(Wired& wired, const Telling& told)
{
    if constexpr (!requires { wired.hear(told.blocks()); })
        wired.hear(told.row());
    else if (const auto longest = told.longest())
        wired.hear(*longest);
    else
        wired.hear(told.blocks());
}

}  // namespace laneway
