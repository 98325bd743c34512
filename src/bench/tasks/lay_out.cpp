// SPDX-License-Identifier: BSD-3-Clause
#include "bench/tasks/lay_out.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "library/error.hpp"

namespace laneway::bench {
namespace {

/// Appends counts and displacements of the blocks of all peers. An element is `width` long in the unit of MPI's
/// displacements. Returns whether MPI can count that far.
template <class Block>
bool lay_out_blocks(const Problem& problem, const Block& block, std::int64_t width,
                    std::vector<int>& counts, std::vector<int>& displacements)
{
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    std::int64_t end = 0;
    for (int peer = 0; peer < problem.size; ++peer) {
        const auto own = static_cast<std::int64_t>(block(peer));
        if (own > most / width - end) return false;
        displacements.push_back(static_cast<int>(end));
        counts.push_back(static_cast<int>(own));
        end += own;
    }
    return true;
}

/// The edges to peers of non-empty blocks.
Edges edges_of(const std::vector<int>& counts, const std::vector<int>& displacements,
               const Problem& problem)
{
    Edges edges;
    for (std::size_t peer = 0; peer < counts.size(); ++peer) {
        if (counts[peer] == 0) continue;
        edges.peers.push_back(static_cast<int>(peer));
        edges.counts.push_back(counts[peer]);
        edges.displacements.push_back(displacements[peer]);
        edges.places.push_back(static_cast<MPI_Aint>(displacements[peer]) *
                               static_cast<MPI_Aint>(problem.type.extent));
        if (!problem.peer_types.empty()) edges.types.push_back(problem.peer_types[peer]);
    }
    for (auto* const array : {&edges.peers, &edges.counts, &edges.displacements})
        array->reserve(1);  // MPI wants an address
    edges.places.reserve(1);
    edges.types.reserve(1);
    return edges;
}

std::vector<int> in_bytes(const std::vector<int>& displacements, std::size_t extent)
{
    std::vector<int> places;
    for (const int each : displacements) places.push_back(each * static_cast<int>(extent));
    return places;
}

}  // namespace

OneOfIt::OneOfIt(MPI_Datatype type)
{
    check(MPI_Type_contiguous(1, type, &handle_));
    check(MPI_Type_commit(&handle_));
}

OneOfIt::~OneOfIt() { MPI_Type_free(&handle_); }

bool lay_out(const Operation& operation, Problem& problem, MPI_Datatype of_odd_peers)
{
    const auto extent = static_cast<std::int64_t>(problem.type.extent);
    const std::int64_t width = operation.has_peer_types ? extent : 1;
    if (operation.flow != BlockFlow::between_pairs)
        return lay_out_blocks(
            problem, [&](int peer) { return layout_block(problem, peer); }, width, problem.counts,
            problem.displacements);
    const auto received = [&](int peer) { return pair_block(problem, peer, problem.rank); };
    const auto sent = [&](int peer) { return pair_block(problem, problem.rank, peer); };
    if (!lay_out_blocks(problem, received, width, problem.counts, problem.displacements) ||
        !lay_out_blocks(problem, sent, width, problem.sent_counts, problem.sent_displacements))
        return false;
    if (operation.has_peer_types) {
        for (int peer = 0; peer < problem.size; ++peer)
            problem.peer_types.push_back(peer % 2 == 0 ? problem.type.handle : of_odd_peers);
        problem.places = in_bytes(problem.displacements, problem.type.extent);
        problem.sent_places = in_bytes(problem.sent_displacements, problem.type.extent);
    }
    if (operation.of_neighbors) {
        problem.sources = edges_of(problem.counts, problem.displacements, problem);
        problem.destinations = edges_of(problem.sent_counts, problem.sent_displacements, problem);
    }
    return true;
}

}  // namespace laneway::bench
