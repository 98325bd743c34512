// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "call/front/alltoallv.hpp"
#include "call/front/topology.hpp"
#include "call/front/vector.hpp"

namespace laneway {

/// A row of blocks, one an edge, in the order of ranks.
class RowByRank {
public:
    RowByRank() = default;
    RowByRank(const Blocks& by_edge, const Edges& edges)
        : address_(by_edge.address),
          type_(by_edge.type),
          ranks_(edges.ranks)
    {
        for (const int edge : edges.numbers) {
            counts_.push_back(by_edge.counts[edge]);
            places_.push_back(by_edge.places[edge]);
            if (by_edge.types) types_.push_back(by_edge.types[edge]);
        }
    }

    int size() const { return static_cast<int>(counts_.size()); }
    Blocks blocks() const
    {
        return {address_, counts_.data(), places_.data(), type_,
                types_.empty() ? nullptr : types_.data()};
    }
    bool acceptable() const { return size() == 0 || blocks().acceptable(size()); }
    /// The parts of the row, in bytes, by rank.
    Partition part(int ranks) const
    {
        std::vector<std::int64_t> lengths(static_cast<std::size_t>(ranks));
        blocks().for_data(size(), [&](int edge, std::int64_t, std::int64_t bytes) {
            lengths[static_cast<std::size_t>(ranks_[static_cast<std::size_t>(edge)])] += bytes;
        });
        return Partition(lengths);
    }

private:
    const void* address_ = nullptr;
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
    std::vector<int> ranks_;
    std::vector<std::int64_t> counts_, places_;
    std::vector<MPI_Datatype> types_;
};

/// Blocks by the edges of a process, in the topology's order of edges. Blocks of edges to nobody are insignificant.
struct NeighborsArguments {
    using Call = NeighborAlltoallv;
    Blocks input;
    Blocks result;
    MPI_Comm comm;

    /// Facts about the topology and the rows, found when they were first asked for.
    struct Found {
        std::optional<Neighbors> neighbors;
        bool readable = false;
        RowByRank input, result;
    };
    mutable std::optional<Found> known = {};

    const Found& found() const
    {
        if (known) return *known;
        Found& found = known.emplace();
        found.neighbors = neighbors_of(comm);
        if (!found.neighbors) return found;
        const auto& [sources, destinations] = *found.neighbors;
        found.readable = readable(input, destinations) && readable(result, sources);
        if (!found.readable) return found;
        found.input = RowByRank(input, destinations);
        found.result = RowByRank(result, sources);
        return found;
    }

    bool acceptable(Member) const
    {
        return found().readable && found().input.acceptable() && found().result.acceptable();
    }
    int without_data(MPI_Comm alone, Member) const
    {
        const int code = types_without_data(sent().blocks(), sent().size(), alone);
        return code == MPI_SUCCESS
                   ? types_without_data(received().blocks(), received().size(), alone)
                   : code;
    }
    Question question(Member) const
    {
        const auto into = one_type(received().blocks(), received().size());
        const auto from = one_type(sent().blocks(), sent().size());
        return {from.value_or(MPI_DATATYPE_NULL), into.value_or(MPI_DATATYPE_NULL), MPI_OP_NULL, 0,
                from && into};
    }
    std::array<Data, 2> significant(Member) const
    {
        return {sent().blocks().all(sent().size()), received().blocks().all(received().size())};
    }
    bool is_aliased(Member) const { return false; }

    std::optional<Facts> facts(Member) const { return of_unknown_lengths; }
    /// The bytes of the mean block of an edge.
    std::int64_t own_bytes(Member) const
    {
        return sent().blocks().bytes_of_all(sent().size()) / std::max(1, sent().size());
    }

    class Wired : public WiredBetweenPairs {
    public:
        Wired(const NeighborsArguments& front, const Comm& world)
            : Wired(front.sent(), front.sent().blocks(), front.received(),
                    front.received().blocks(), world)
        {
        }
        NeighborAlltoallv call() const { return {WiredBetweenPairs::call()}; }

    private:
        Wired(const RowByRank& sent, const Blocks& input, const RowByRank& received,
              const Blocks& result, const Comm& world)
            : WiredBetweenPairs(Row{input, sent.size(), sent.part(world.size())},
                                Row{result, received.size(), received.part(world.size())}, world)
        {
        }
    };

protected:
    /// The numbers with their size, where a library without large counts may want it. It takes no null in place of an
    /// array, be it empty.
    static Numbers sized(const Numbers& numbers, int size)
    {
        static constexpr int none = 0;
        if (!numbers.is_large()) return numbers;
        return size == 0 ? Numbers(&none) : numbers.of_size(size);
    }
    /// The number of edges as the library reads it in forms with large counts: else nothing asks for the topology.
    int edges_out() const { return edges(input, &Neighbors::destinations); }
    int edges_in() const { return edges(result, &Neighbors::sources); }

private:
    int edges(const Blocks& row, Edges Neighbors::* its) const
    {
        if (!row.counts.is_large()) return 0;
        const auto& neighbors = found().neighbors;
        return neighbors ? ((*neighbors).*its).count : 0;
    }
    const RowByRank& sent() const { return found().input; }
    const RowByRank& received() const { return found().result; }

    static bool readable(const Blocks& row, const Edges& edges)
    {
        if (row.in_place()) return false;
        return edges.count == 0 || (row.counts && row.places);
    }
};

struct NeighborAlltoallvFront : NeighborsArguments {
    static constexpr const auto& library = real::Neighbor_alltoallv;
    int by(const auto& function, auto... more) const
    {
        const int out = edges_out(), in = edges_in();
        return function(input.address, sized(input.counts, out), sized(input.places, out),
                        input.type, const_cast<void*>(result.address), sized(result.counts, in),
                        sized(result.places, in), result.type, comm, more...);
    }
};

/// On the wire it is a neighbor_alltoallv. Displacements are addresses in any form.
struct NeighborAlltoallwFront : NeighborsArguments {
    static constexpr const char* name = "neighbor_alltoallw";
    static constexpr const auto& library = real::Neighbor_alltoallw;
    int by(const auto& function, auto... more) const
    {
        return function(input.address, sized(input.counts, edges_out()), addresses(input.places),
                        input.types, const_cast<void*>(result.address),
                        sized(result.counts, edges_in()), addresses(result.places), result.types,
                        comm, more...);
    }

private:
    static const MPI_Aint* addresses(const Numbers& places)
    {
        return static_cast<const MPI_Aint*>(places.address());
    }
};

}  // namespace laneway
