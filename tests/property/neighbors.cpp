// SPDX-License-Identifier: BSD-3-Clause
#include "neighbors.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "call_form.hpp"
#include "library/error.hpp"

namespace laneway::property {
namespace {

std::size_t at(int place) { return static_cast<std::size_t>(place); }

}  // namespace

Topology::Topology(const Trial& trial)
    : case_(trial.of()),
      rank_(trial.rank()),
      size_(trial.size()),
      out_(at(size_)),
      in_(at(size_))
{
    for (const char letter : case_.id()) seed_ = seed_ * 131 + static_cast<unsigned char>(letter);
    switch (by_chance(0) % 6) {
    case 0:
        make_distributed_graph(2, trial.comm());
        break;
    case 1:
        make_distributed_graph(5, trial.comm());
        break;
    case 2:
        make_star(trial.comm());
        break;
    case 3:
        make_graph(trial.comm());
        break;
    default:
        make_grid(trial.comm());
    }
    if (calling().form != CallForm::blocking) check(laneway_decompose(comm_));
}

Topology::~Topology() { PMPI_Comm_free(&comm_); }

unsigned Topology::by_chance(int key) const
{
    unsigned value = seed_ + static_cast<unsigned>(key) * 0x9E3779B9u;
    for (const unsigned factor : {0x85EBCA6Bu, 0xC2B2AE35u}) {
        value ^= value >> 15;
        value *= factor;
    }
    return value ^ (value >> 16);
}

std::vector<int> Topology::peers(const Edges& edges) const
{
    std::vector<int> result;
    for (const Edge& edge : edges[at(rank_)]) result.push_back(edge.peer);
    return result;
}

/// Puts the edges of each rank in an order of its own.
void Topology::shuffle(Edges& edges, int key) const
{
    for (int rank = 0; rank < size_; ++rank) {
        auto& own = edges[at(rank)];
        for (int last = static_cast<int>(own.size()) - 1; last > 0; --last) {
            const unsigned chosen = by_chance(key + rank * 64 + last);
            std::swap(own[at(last)], own[chosen % static_cast<unsigned>(last + 1)]);
        }
    }
}

/// The j-th edge to a process is the j-th that this one has from there.
void Topology::match()
{
    for (int rank = 0; rank < size_; ++rank) {
        std::vector<int> next(at(size_));
        for (Edge& edge : in_[at(rank)]) {
            const auto& out = out_[at(edge.peer)];
            int& from = next[at(edge.peer)];
            while (out[at(from)].peer != rank) ++from;
            edge.number = from++;
        }
    }
}

/// Between any two processes, and from each to itself, there are some edges.
void Topology::make_distributed_graph(int one_in, MPI_Comm of)
{
    for (int from = 0; from < size_; ++from)
        for (int to = 0; to < size_; ++to) {
            const unsigned chance = by_chance(1 + from * size_ + to);
            const unsigned edges = chance % at(one_in) == 0 ? 1 + (chance >> 8) % 3 : 0;
            for (unsigned edge = 0; edge < edges; ++edge) {
                out_[at(from)].push_back({to, 0});
                in_[at(to)].push_back({from, 0});
            }
        }
    shuffle(out_, 1000);
    shuffle(in_, 2000);
    match();
    connect(of);
}

/// From one process to all others.
void Topology::make_star(MPI_Comm of)
{
    const int middle = static_cast<int>(by_chance(1) % at(size_));
    for (int to = 0; to < size_; ++to) {
        if (to == middle) continue;
        out_[at(middle)].push_back({to, 0});
        in_[at(to)].push_back({middle, 0});
    }
    match();
    connect(of);
}

void Topology::connect(MPI_Comm of)
{
    const std::vector<int> sources = peers(in_), destinations = peers(out_);
    const std::vector<int> weights(1 + std::max(sources.size(), destinations.size()), 1);
    check(PMPI_Dist_graph_create_adjacent(of, static_cast<int>(sources.size()), sources.data(),
                                          weights.data(), static_cast<int>(destinations.size()),
                                          destinations.data(), weights.data(), MPI_INFO_NULL, 0,
                                          &comm_));
}

/// Any edge goes both ways.
void Topology::make_graph(MPI_Comm of)
{
    for (int one = 0; one < size_; ++one)
        for (int other = one; other < size_; ++other) {
            const unsigned chance = by_chance(1 + one * size_ + other);
            const unsigned edges = chance % 2 == 0 ? 1 + (chance >> 8) % 2 : 0;
            for (unsigned edge = 0; edge < edges; ++edge) {
                out_[at(one)].push_back({other, 0});
                if (one != other) out_[at(other)].push_back({one, 0});
            }
        }
    shuffle(out_, 1000);
    in_ = out_;
    match();
    std::vector<int> ends, all;
    for (const auto& own : out_) {
        for (const Edge& edge : own) all.push_back(edge.peer);
        ends.push_back(static_cast<int>(all.size()));
    }
    if (all.empty()) all.push_back(0);  // an address
    check(PMPI_Graph_create(of, size_, ends.data(), all.data(), 0, &comm_));
}

/// A block that goes in the negative direction of a dimension arrives from the positive one, also where both lead to
/// the same process. See MPI 4.0, Section 8.6. Open MPI 4.1 does so in the blocking form alone, MPICH 4.0 in none. So a
/// single process, which they serve, has no periodic dimension here.
void Topology::make_grid(MPI_Comm of)
{
    const int dimensions = 1 + static_cast<int>(by_chance(1) % 3);
    std::array<int, 3> lengths{}, periods{};
    check(PMPI_Dims_create(size_, dimensions, lengths.data()));
    if (by_chance(2) % 2 == 0) std::reverse(lengths.begin(), lengths.begin() + dimensions);
    for (int dimension = 0; dimension < dimensions; ++dimension)
        periods[at(dimension)] = size_ > 1 && by_chance(3 + dimension) % 3 > 0;
    check(PMPI_Cart_create(of, dimensions, lengths.data(), periods.data(), 0, &comm_));
    for (int rank = 0; rank < size_; ++rank) {
        int stride = size_;
        for (int dimension = 0; dimension < dimensions; ++dimension) {
            const int length = lengths[at(dimension)];
            stride /= length;
            const int place = rank / stride % length;
            for (const int step : {-1, 1}) {
                int next = place + step;
                const bool beyond = next < 0 || next == length;
                next = (next + length) % length;
                const bool nobody = beyond && !periods[at(dimension)];
                const int peer = nobody ? MPI_PROC_NULL : rank + (next - place) * stride;
                const int number = 2 * dimension + (step < 0 ? 1 : 0);
                out_[at(rank)].push_back({peer, number});
                in_[at(rank)].push_back({peer, number});
            }
        }
    }
}

int Topology::length(int rank, int number) const
{
    const int count = case_.count;
    switch (case_.irregular->lengths) {
    case Lengths::equal:
        return count;
    case Lengths::rising:
        return count * ((rank + number) % 3);
    case Lengths::one:
        return rank == static_cast<int>(by_chance(9) % at(size_)) && number == 0 ? 3 * count : 0;
    case Lengths::any:
        return static_cast<int>(by_chance(5000 + rank * 64 + number) % at(2 * count + 1));
    case Lengths::quarter:
        return (rank + number) % 4 == 0 ? 2 * count : 0;
    case Lengths::none:
        break;
    }
    return 0;
}

std::vector<int> Topology::sent() const
{
    std::vector<int> lengths;
    const auto& own = out_[at(rank_)];
    for (std::size_t edge = 0; edge < own.size(); ++edge)
        lengths.push_back(length(rank_, static_cast<int>(edge)));
    return lengths;
}

/// Blocks of edges to nobody have lengths as well, which nobody reads.
std::vector<int> Topology::received() const
{
    std::vector<int> lengths;
    for (const auto& [peer, number] : sources())
        lengths.push_back(length(peer == MPI_PROC_NULL ? rank_ : peer, number));
    return lengths;
}

long Topology::total() const
{
    long all = 0;
    for (int rank = 0; rank < size_; ++rank)
        for (std::size_t edge = 0; edge < out_[at(rank)].size(); ++edge)
            all += length(rank, static_cast<int>(edge));
    return all;
}

namespace {

/// Where nothing may overlap.
Places received_at(Places sent)
{
    if (sent == Places::overlapping) return Places::apart;
    return sent == Places::apart ? Places::reversed : sent;
}

}  // namespace

RowsOfNeighbors::RowsOfNeighbors(const Trial& trial, const Topology& topology, Row::Types types)
    : input(*trial.of().form, trial.rank() + 1, topology.sent(), trial.of().irregular->places,
            types),
      result(*trial.of().form, trial.rank(), topology.received(),
             received_at(trial.of().irregular->places), types),
      expected(result.twin())
{
    const Form& form = *trial.of().form;
    const Places places = trial.of().irregular->places;
    const std::vector<int> sent = topology.sent(), received = topology.received();
    for (int edge = 0; edge < static_cast<int>(sent.size()); ++edge)
        input.write(block_of(form, trial.rank(), edge, sent[at(edge)], places), edge);
    for (int edge = 0; edge < static_cast<int>(received.size()); ++edge) {
        const auto& [peer, number] = topology.sources()[at(edge)];
        if (peer == MPI_PROC_NULL) continue;
        expected.write(block_of(form, peer, number, received[at(edge)], places), edge);
    }
}

}  // namespace laneway::property
