// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <vector>

#include "case.hpp"
#include "row.hpp"

/// Topologies, and what their neighbours have for each other, worked out without asking the library.
namespace laneway::property {

/// An edge, as one of its two ends has it.
struct Edge {
    int peer;    ///< MPI_PROC_NULL: nobody
    int number;  ///< number of the same edge among the peer's
};

/// A communicator with a topology, of the same processes in the same order. It is a distributed graph with several
/// edges between two processes, a graph, or a grid, as follows from the case.
class Topology {
public:
    explicit Topology(const Trial& trial);
    Topology(const Topology&) = delete;
    Topology& operator=(const Topology&) = delete;
    ~Topology();

    MPI_Comm comm() const { return comm_; }
    const std::vector<Edge>& sources() const { return in_[static_cast<std::size_t>(rank_)]; }
    /// Elements that go along edge `number` of `rank`.
    int length(int rank, int number) const;
    std::vector<int> sent() const;
    std::vector<int> received() const;
    /// The elements of all processes.
    long total() const;

private:
    using Edges = std::vector<std::vector<Edge>>;  ///< by rank

    unsigned by_chance(int key) const;
    std::vector<int> peers(const Edges& edges) const;
    void shuffle(Edges& edges, int key) const;
    void make_distributed_graph(int one_in, MPI_Comm of);
    void make_star(MPI_Comm of);
    void make_graph(MPI_Comm of);
    void make_grid(MPI_Comm of);
    void match();
    void connect(MPI_Comm of);

    const Case& case_;
    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_, size_;
    unsigned seed_ = 0;
    Edges out_, in_;
};

/// One rank's rows of blocks to its neighbours and from them.
class RowsOfNeighbors {
public:
    RowsOfNeighbors(const Trial& trial, const Topology& topology, Row::Types types);

    Row input;
    Row result;
    Row expected;
};

/// Makes the call that `call(trial, rows)` makes of a trial on a communicator with a topology, and judges it.
template <class Call>
void run_among_neighbors(Trial& trial, Row::Types types, const Call& call)
{
    const Topology topology(trial);
    Trial inner(trial.of(), topology.comm());
    RowsOfNeighbors rows(inner, topology, types);
    inner.serve(&rows.input.memory(), [&] { return call(inner, rows); });
    const std::size_t all =
        static_cast<std::size_t>(topology.total()) * size_of(trial.of().form->kind);
    inner.expect_served<NeighborAlltoallv>({.count = 1, .bytes = -1}, all,
                                           rows.result.wire_bytes() + rows.input.wire_bytes());
    rows.result.clear_padding();
    rows.expected.clear_padding();
    inner.expect_equal("result", rows.result, rows.expected);
    trial.take(inner);
}

}  // namespace laneway::property
