// SPDX-License-Identifier: BSD-3-Clause
#include "call/front/topology.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "library/error.hpp"

namespace laneway {
namespace {

/// The edges to `peers`, by rank. The numbers of several edges to one rank are in `order`.
Edges by_rank(const std::vector<int>& peers, std::vector<int> order)
{
    const auto peer = [&](int edge) { return peers[static_cast<std::size_t>(edge)]; };
    Edges edges{.count = static_cast<int>(peers.size())};
    std::erase_if(order, [&](int edge) { return peer(edge) == MPI_PROC_NULL; });
    std::ranges::stable_sort(order, {}, peer);
    for (const int edge : order) edges.ranks.push_back(peer(edge));
    edges.numbers = std::move(order);
    return edges;
}

std::vector<int> ascending(std::size_t count)
{
    std::vector<int> order(count);
    std::iota(order.begin(), order.end(), 0);
    return order;
}

Edges in_order(const std::vector<int>& peers) { return by_rank(peers, ascending(peers.size())); }

/// Each dimension has an edge in the negative direction, then one in the positive one. Data that go in one direction
/// come from the other one, also where both lead to the same process (MPI 4.0, Section 8.6).
Neighbors of_grid(MPI_Comm comm)
{
    int dimensions = 0;
    check(PMPI_Cartdim_get(comm, &dimensions));
    std::vector<int> peers;
    for (int dimension = 0; dimension < dimensions; ++dimension) {
        int before = MPI_PROC_NULL, after = MPI_PROC_NULL;
        check(PMPI_Cart_shift(comm, dimension, 1, &before, &after));
        peers.insert(peers.end(), {before, after});
    }
    std::vector<int> positive_first = ascending(peers.size());
    for (int& edge : positive_first) edge ^= 1;
    return {by_rank(peers, std::move(positive_first)), in_order(peers)};
}

Neighbors of_graph(MPI_Comm comm)
{
    int rank = 0, count = 0;
    check(PMPI_Comm_rank(comm, &rank));
    check(PMPI_Graph_neighbors_count(comm, rank, &count));
    std::vector<int> peers(static_cast<std::size_t>(count));
    check(PMPI_Graph_neighbors(comm, rank, count, peers.data()));
    return {in_order(peers), in_order(peers)};
}

Neighbors of_distributed_graph(MPI_Comm comm)
{
    int in = 0, out = 0, weighted = 0;
    check(PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted));
    std::vector<int> sources(static_cast<std::size_t>(in)), of_sources(sources.size() + 1);
    std::vector<int> destinations(static_cast<std::size_t>(out)),
        of_destinations(destinations.size() + 1);
    check(PMPI_Dist_graph_neighbors(
        comm, in, sources.data(), weighted ? of_sources.data() : MPI_UNWEIGHTED, out,
        destinations.data(), weighted ? of_destinations.data() : MPI_UNWEIGHTED));
    return {in_order(sources), in_order(destinations)};
}

}  // namespace

std::optional<Neighbors> neighbors_of(MPI_Comm comm)
{
    int inter = 0, topology = MPI_UNDEFINED;
    check(PMPI_Comm_test_inter(comm, &inter));
    if (inter) return std::nullopt;
    check(PMPI_Topo_test(comm, &topology));
    if (topology == MPI_CART) return of_grid(comm);
    if (topology == MPI_GRAPH) return of_graph(comm);
    if (topology == MPI_DIST_GRAPH) return of_distributed_graph(comm);
    return std::nullopt;
}

}  // namespace laneway
