// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace laneway {

/// What lies between the lanes of nodes. Data.
struct Topology {
    enum class Kind : std::uint8_t {
        flat,   ///< nothing that could be a bottleneck
        torus,  ///< of any number of dimensions; neighbours are joined by a link in each direction
        fat_tree,  ///< of two levels: leaf switches, and a core that joins them
    };
    Kind kind = Kind::flat;
    std::vector<int> shape{};  ///< of a torus: nodes of each dimension; numbered row by row
    int leaf = 1;              ///< of a fat tree: nodes of a leaf switch
    int up = 1;                ///< of a fat tree: links between a leaf switch and the core
    double link_byte = 0;      ///< time for a byte on a link, in picoseconds
    std::uint64_t hop = 0;     ///< latency of a link, in picoseconds
};

/// How many links it has between so many nodes, both directions of each; 0 where it is flat.
std::int64_t links_of(const Topology& topology, int nodes);

/// Which links messages pass. Pure. Links carry one direction each and are numbered from 0 on.
class Routes {
public:
    /// The topology is not flat, has that many nodes and no more links than 32 bits can number.
    Routes(const Topology& topology, int nodes);

    std::uint32_t links() const { return links_; }

    /// The links from a node to another, added to those that are there. In a torus dimension after dimension,
    /// the shorter way round; where both are as long, up from even places and down from odd ones, so that
    /// neither has all of them. In a fat tree through the core by the links that belong to `port`, which
    /// messages come in by (destination routing: Zahavi, "Fat-tree routing and node ordering providing
    /// contention free traffic for MPI global collectives", 2012); within a leaf switch by none.
    void add(int from, int to, std::uint32_t port, std::vector<std::uint32_t>& links) const;

    /// How many these are.
    int hops(int from, int to) const;

    /// For people: "node 5, dimension 0 up", "leaf 3, link 2 down".
    std::string name(std::uint32_t link) const;

private:
    struct Way {
        int hops;
        bool up;
    };
    /// In a dimension of `size` places.
    static Way way(int from, int to, int size);
    void add_torus(int from, int to, std::vector<std::uint32_t>& links) const;

    const Topology topology_;
    std::uint32_t links_;
};

}  // namespace laneway
