// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/described.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <numeric>
#include <string_view>

#include "choose/profile.hpp"
#include "decomposition/decomposition.hpp"
#include "mpi/quirks.hpp"
#include "text/text.hpp"

namespace laneway::simulate {
namespace {

/// The family of a profile that has the comment `# quirks: MPICH`; without one, Open MPI. Throws Misunderstood, naming
/// file and line, for another.
std::string family_of(const std::string& path)
{
    constexpr std::string_view begin = "# quirks:", preset = "Open MPI";
    std::ifstream file(path);
    int number = 0;
    for (std::string line; ++number, std::getline(file, line);) {
        if (!line.starts_with(begin)) continue;
        const std::string family = line.substr(std::min(line.size(), begin.size() + 1));
        if (family == "MPICH" || family == preset) return family;
        throw Misunderstood(path + ":" + std::to_string(number) +
                            ": quirks are those of MPICH or " + std::string(preset) + ", not of " +
                            in_quotes(family));
    }
    return std::string(preset);
}

}  // namespace

LibraryRules rules_of_library(const std::string& path)
{
    using namespace std::string_view_literals;
    constexpr std::array vectors{std::pair{"scatterv"sv, Scatter::name},
                                 std::pair{"gatherv"sv, Gather::name},
                                 std::pair{"allgatherv"sv, Allgather::name},
                                 std::pair{"reduce_scatter"sv, ReduceScatterBlock::name}};
    LibraryRules rules;
    rules.family = family_of(path);
    for (const auto& [origin, text] : read_profile(path)) {
        std::string_view rest = text;
        const std::string_view collective = next(rest, ' ');
        const auto* const vector =
            std::ranges::find(vectors, collective, &decltype(vectors)::value_type::first);
        try {
            if (vector == vectors.end())
                rules.calls.add_line(text, origin);
            else
                rules.vectors.add_line(vector->second + (" " + std::string(rest)), origin);
        } catch (const Misunderstood& why) {
            throw Misunderstood(origin + ": " + why.what());
        }
    }
    return rules;
}

Described::Described(const LibraryRules& rules, const std::shared_ptr<const Layout>& world,
                     Short short_ones)
    : Library(short_ones, quirks_of(rules.family, false).slow_in_pairs),
      rules_(rules),
      world_(world)
{
}

/// Where the processes of a communicator are: of those that are recorded, the world, a node, or one a node.
Mapping Described::mapping(const Comm& comm) const
{
    const auto size = static_cast<std::size_t>(comm.size());
    Nodes nodes;
    if (comm.within_node()) {
        std::vector<int>& all = nodes.emplace_back(size);
        std::iota(all.begin(), all.end(), 0);
    } else {
        for (int rank = 0; rank < comm.size(); ++rank) nodes.push_back({rank});
    }
    return {std::move(nodes), {}};
}

const Described::Selectors& Described::selectors(const Comm& comm) const
{
    const auto [place, is_new] =
        selectors_.try_emplace({is_world(comm) ? 0 : comm.size(), comm.within_node()});
    if (!is_new) return place->second;
    Shape shape{.ranks = comm.size()};
    if (is_world(comm)) {
        shape.nodes = world_->nodes();
        shape.largest = shape.smallest = world_->largest();
        for (int node = 0; node < world_->nodes(); ++node)
            shape.smallest =
                std::min(shape.smallest, static_cast<int>(world_->members(node).size()));
    } else {
        shape.nodes = comm.within_node() ? 1 : comm.size();
        shape.largest = shape.smallest = comm.within_node() ? comm.size() : 1;
    }
    return place->second = {Selector(rules_.calls, Scope::user, shape),
                            Selector(rules_.vectors, Scope::user, shape)};
}

namespace {

template <class Call>
std::string in_words(const Choice<Call>& choice)
{
    std::string values;
    for (const auto& [name, value] : choice.tunables.all())
        if (choice.algorithm->presets[name] != value)
            values +=
                (values.empty() ? "(" : ",") + std::string(name) + "=" + std::to_string(value);
    return choice.algorithm->name + values + (values.empty() ? "" : ")");
}

}  // namespace

/// What serves a call on a communicator. Throws Misunderstood where no rule says so.
template <class Call>
const Choice<Call>& Described::choice(const Facts& facts, const Comm& comm, Form form) const
{
    const auto& [calls, vectors] = selectors(comm);
    const Rule<Call>* rule = form == Form::vector ? vectors.rule<Call>(facts.bytes) : nullptr;
    if (!rule) rule = calls.rule<Call>(facts.bytes);
    if (!rule || !rule->choice.algorithm)
        throw Misunderstood("the library's profile does not say what serves " +
                            std::string(Call::name) + " of " + std::to_string(facts.bytes) +
                            " bytes among " + std::to_string(comm.size()) + " ranks");
    decided_.insert(rule->origin);
    if (served_by_.empty()) served_by_ = in_words(rule->choice);
    return rule->choice;
}

template <class Call>
void Described::serve(const Call& call, const Comm& comm, Form form) const
{
    const Facts facts = facts_of(call, comm);
    if (facts.count == 0 || comm.size() == 1) return;
    const Serving serving(*this);
    const auto& [asked, tunables, by_hand] = choice<Call>(facts, comm, form);
    const auto run = [&](const Parts& parts) {
        const auto* const algorithm = Registry<Call>::eligible(asked, facts, parts.layout());
        if (!algorithm)
            throw Misunderstood(asked->name + " of " + Call::name + " is not eligible: needs " +
                                asked->needs.unmet(facts, parts.layout()).text());
        algorithm->run(call, Decomposition(parts),
                       algorithm == asked ? tunables : algorithm->presets);
    };
    if (is_world(comm)) return run(Parts(world_, comm.rank()));
    if (!asked->flat)
        throw Misunderstood(std::string(Call::name) + " by " + asked->name +
                            ": as a component only what knows no nodes can serve");
    run(Parts(comm, mapping(comm), 1));
}

void Described::bcast(const Buffer& data, int root, const Comm& comm) const
{
    serve(Bcast{data, root}, comm);
}

void Described::reduce(const Buffer& input, const Buffer& result, MPI_Op op, int root,
                       const Comm& comm) const
{
    serve(Reduce{input, result, op, root}, comm);
}

namespace {

/// Of a row of blocks that the root alone looks at, the others know the bytes: what they pass on has no gaps.
Buffer as_seen(const Buffer& whole, int root, const Comm& comm)
{
    if (comm.rank() == root || is_gap_free(whole.type)) return whole;
    return {whole.data, whole.count * size_of(whole.type), MPI_BYTE, 1};
}

}  // namespace

void Described::scatter(const Buffer& whole, const Buffer& mine, int root, const Comm& comm) const
{
    serve(Scatter{as_seen(whole, root, comm), mine, root}, comm);
}

void Described::gather(const Buffer& mine, const Buffer& whole, int root, const Comm& comm) const
{
    serve(Gather{mine, as_seen(whole, root, comm), root}, comm);
}

void Described::barrier(const Comm& comm) const { serve(Barrier{}, comm); }

void Described::allgather(const Buffer& mine, const Buffer& whole, const Comm& comm) const
{
    serve(Allgather{mine, whole}, comm);
}

void Described::alltoall(const Buffer& input, const Buffer& result, const Comm& comm) const
{
    serve(Alltoall{input, result}, comm);
}

void Described::allreduce(const Buffer& input, const Buffer& result, MPI_Op op,
                          const Comm& comm) const
{
    serve(Allreduce{input, result, op}, comm);
}

void Described::reduce_scatter_block(const Buffer& input, const Buffer& result, MPI_Op op,
                                     const Comm& comm) const
{
    serve(ReduceScatterBlock{input, result, op}, comm);
}

void Described::scan(const Buffer& input, const Buffer& result, MPI_Op op, const Comm& comm) const
{
    serve(Scan{input, result, op}, comm);
}

void Described::exscan(const Buffer& input, const Buffer& result, MPI_Op op, const Comm& comm) const
{
    serve(Exscan{input, result, op}, comm);
}

namespace {

std::int64_t largest(const Partition& part)
{
    std::int64_t size = 0;
    for (int block = 0; block < part.parts(); ++block) size = std::max(size, part.size(block));
    return size;
}

Buffer of(const Buffer& buffer, std::int64_t count)
{
    return {buffer.data, count, buffer.type, buffer.extent};
}

}  // namespace

void Described::scatterv(const Buffer& whole, const Buffer& mine, const Partition& part, int root,
                         const Comm& comm) const
{
    const std::int64_t block = largest(part);
    serve(Scatter{of(whole, block * comm.size()), of(mine, block), root}, comm, Form::vector);
}

void Described::gatherv(const Buffer& mine, const Buffer& whole, const Partition& part, int root,
                        const Comm& comm) const
{
    const std::int64_t block = largest(part);
    serve(Gather{of(mine, block), of(whole, block * comm.size()), root}, comm, Form::vector);
}

void Described::allgatherv(const Buffer& mine, const Buffer& whole, const Partition& part,
                           const Comm& comm) const
{
    const std::int64_t block = largest(part);
    const bool in_place = mine.data == part.block(whole, comm.rank()).data;
    const Buffer row = of(whole, block * comm.size());
    const Buffer own = in_place ? row.slice(block * comm.rank(), block) : of(mine, block);
    serve(Allgather{own, row}, comm, Form::vector);
}

void Described::reduce_scatter(const Buffer& input, const Buffer& result, const Partition& part,
                               MPI_Op op, const Comm& comm) const
{
    const std::int64_t block = largest(part);
    serve(ReduceScatterBlock{of(input, block * comm.size()), of(result, block), op}, comm,
          Form::vector);
}

}  // namespace laneway::simulate
