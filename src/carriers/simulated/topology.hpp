// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace laneway {

/// The network between the lanes of nodes. Data.
struct Topology {
    enum class Kind : std::uint8_t {
        flat,      ///< nothing that could be a bottleneck
        torus,     ///< any number of dimensions; neighbours are joined by a link in each direction
        fat_tree,  ///< two levels: leaf switches, and a core that joins them
    };
    Kind kind = Kind::flat;
    std::vector<int> shape{};  ///< torus: nodes of each dimension; numbered row by row
    int leaf = 1;              ///< fat tree: nodes of a leaf switch
    int up = 1;                ///< fat tree: links between a leaf switch and the core
    double link_byte = 0;      ///< time for a byte on a link, in picoseconds
    std::uint64_t hop = 0;     ///< latency of a link, in picoseconds
};

/// How many links a topology has between so many nodes, both directions of each; 0 where it is flat.
std::int64_t links_of(const Topology& topology, int nodes);

/// The links that messages pass. Pure. Links carry one direction each and are numbered from 0 on.
class Routes {
public:
    /// The topology is not flat, has that many nodes and no more links than 32 bits can number.
    Routes(const Topology& topology, int nodes);

    std::uint32_t links() const { return links_; }

    /// Adds the links from a node to another to those that are there. In a torus the way leads dimension after
    /// dimension, the shorter way round. Where both ways are as long, it leads up from even places and down from
    /// odd ones, so that neither has all messages. In a fat tree the way leads through the core, by the links
    /// that belong to `port`, which messages come in by. Within a leaf switch there are none. (Destination routing:
    /// Zahavi, "Fat-tree routing and node ordering providing contention free traffic for MPI global
    /// collectives", 2012.)
    void add(int from, int to, std::uint32_t port, std::vector<std::uint32_t>& links) const;

    /// The number of links that add() adds.
    int hops(int from, int to) const;

    /// The name of a link for people: "node 5, dimension 0 up", "leaf 3, link 2 down".
    std::string name(std::uint32_t link) const;

private:
    struct Way {
        int hops;
        bool up;
    };
    /// The way in a dimension of `size` places.
    static Way way(int from, int to, int size);
    void add_torus(int from, int to, std::vector<std::uint32_t>& links) const;

    const Topology topology_;
    std::uint32_t links_;
};

}  // namespace laneway
