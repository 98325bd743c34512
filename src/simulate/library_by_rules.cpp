// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/library_by_rules.hpp"

#include <algorithm>
#include <fstream>
#include <numeric>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "choose/header.hpp"
#include "choose/profile.hpp"
#include "collectives/facts_of.hpp"
#include "decomposition/decomposition.hpp"
#include "library/quirks.hpp"
#include "providers/providers.hpp"
#include "text/text.hpp"

namespace laneway::simulate {
namespace {

/// Vector collectives that components of ours have. In an alltoallv the components are ours.
using DescribedVectors =
    std::tuple<std::type_identity<Scatterv>, std::type_identity<Gatherv>,
               std::type_identity<Allgatherv>, std::type_identity<ReduceScatter>>;

constexpr const char* preset_family = "Open MPI";

/// The family of a profile from before `quirks MPICH` was a statement, by its comment `# quirks: MPICH`. Throws
/// Misunderstood, naming file and line, for another.
std::string family_by_comment(const std::string& path)
{
    constexpr std::string_view begin = "# quirks:";
    std::ifstream file(path);
    int number = 0;
    for (std::string line; ++number, std::getline(file, line);) {
        if (!line.starts_with(begin)) continue;
        std::string family(trimmed(std::string_view(line).substr(begin.size())));
        if (family == "MPICH" || family == preset_family) return family;
        throw Misunderstood(path + ":" + std::to_string(number) +
                            ": quirks are those of MPICH or " + preset_family + ", not of " +
                            in_quotes(family));
    }
    return preset_family;
}

/// Whether a statement belongs to a native profile's header. Throws Misunderstood for one of another header.
bool is_of_header(Headers& headers, const std::string& path, std::string_view statement)
{
    if (!headers.read(statement, path)) return false;
    const std::string_view word = next_outside(statement, ' ');
    if (word != "quirks" && word != "stand-in")
        throw Misunderstood(in_quotes(word) + " says nothing of a library that is only described");
    return true;
}

/// The regular collective of a vector collective; empty: it is none, or the library's is not described.
std::string_view regular_of(std::string_view collective)
{
    std::string_view regular;
    std::apply(
        [&]<class... Vector>(std::type_identity<Vector>...) {
            ((collective == Vector::name ? regular = Vector::Regular::name : regular), ...);
        },
        DescribedVectors());
    return regular;
}

}  // namespace

LibraryRules rules_of_library(const std::string& path)
{
    LibraryRules rules;
    Headers headers;
    for (const auto& [origin, text] : read_profile(path)) {
        std::string_view rest = text;
        const std::string_view collective = next(rest, ' ');
        const std::string_view regular = regular_of(collective);
        try {
            if (is_of_header(headers, path, text)) continue;
            if (regular.empty())
                rules.calls.add_line(text, origin);
            else
                rules.vectors.add_line(std::string(regular) + " " + std::string(rest), origin);
        } catch (const Misunderstood& why) {
            throw Misunderstood(origin + ": " + why.what());
        }
    }
    rules.family = headers.quirks(path);
    if (rules.family.empty()) rules.family = family_by_comment(path);
    return rules;
}

LibraryByRules::LibraryByRules(const LibraryRules& rules,
                               const std::shared_ptr<const Layout>& world)
    : rules_(rules),
      world_(world),
      slow_in_pairs_(quirks_of(rules.family, false).slow_in_pairs)
{
}

/// The mapping of a communicator's processes: of those that are recorded, the world, a node, or one a node.
Mapping LibraryByRules::mapping(const Comm& comm) const
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

const LibraryByRules::Selectors& LibraryByRules::selectors(const Comm& comm) const
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

std::string in_words(const Choice& choice)
{
    std::string values;
    for (const auto& [name, value] : choice.tunables.all())
        if (choice.algorithm->presets[name] != value)
            values +=
                (values.empty() ? "(" : ",") + std::string(name) + "=" + std::to_string(value);
    return choice.algorithm->name + values + (values.empty() ? "" : ")");
}

}  // namespace

/// The rule that says what serves a call on a communicator; null: none does.
const Rule* LibraryByRules::rule(Collective collective, std::int64_t bytes, const Comm& comm,
                                 bool is_vector) const
{
    const auto& [calls, vectors] = selectors(comm);
    const Rule* const rule = is_vector ? vectors.rule(collective, bytes) : nullptr;
    return rule ? rule : calls.rule(collective, bytes);
}

/// The choice of what serves a call on a communicator. Throws Misunderstood where no rule says so.
const Choice& LibraryByRules::choice(Collective collective, std::int64_t bytes, const Comm& comm,
                                     bool is_vector) const
{
    const Rule* const rule = this->rule(collective, bytes, comm, is_vector);
    if (!rule || !rule->choice.algorithm)
        throw Misunderstood("the library's profile does not say what serves " +
                            std::string(names_of_collectives[collective]) + " of " +
                            std::to_string(bytes) + " bytes among " + std::to_string(comm.size()) +
                            " ranks");
    decided_.insert(rule->origin);
    if (served_by_.empty()) served_by_ = in_words(rule->choice);
    return rule->choice;
}

template <class Call>
void LibraryByRules::serve_regular(const Call& call, const Comm& comm, bool is_vector) const
{
    const Facts facts = facts_of(call, comm);
    if (facts.count == 0 || comm.size() == 1) return;
    const auto& [asked, tunables, by_hand] =
        choice(collective_of<Call>, facts.bytes, comm, is_vector);
    const auto run = [&](const Parts& parts) {
        const Algorithm* const algorithm = registry::eligible(asked, facts, parts.layout());
        if (!algorithm)
            throw Misunderstood(asked->name + " of " + Call::name + " is not eligible: needs " +
                                asked->needs.unmet(facts, parts.layout()).text());
        algorithm->run(call, Decomposition(parts),
                       algorithm == asked ? tunables : algorithm->presets);
    };
    const Described within{this};  // all that it calls is its own
    if (is_world(comm)) return run(Parts(world_, comm.rank(), false, within));
    if (!asked->flat)
        throw Misunderstood(std::string(Call::name) + " by " + asked->name +
                            ": as a component only what knows no nodes can serve");
    run(Parts(comm, mapping(comm), 1, within));
}

namespace {

/// A rooted call as its ranks see it. The root alone looks at a row of blocks. The others know the bytes: the data
/// that they pass on have no gaps.
template <class Rooted>
Rooted as_seen(Rooted call, const Comm& comm)
{
    Buffer& whole = call.whole;
    if (comm.rank() != call.root && !is_gap_free(whole.type))
        whole = {whole.data, whole.count * size_of(whole.type), MPI_BYTE, 1};
    return call;
}

/// A vector collective as the regular one of its largest block.
template <class Vector>
Vector::Regular with_largest_block(const Vector& call, const Comm& comm)
{
    std::int64_t block = 0;
    for (int rank = 0; rank < call.part.parts(); ++rank)
        block = std::max(block, call.part.size(rank));
    const auto of = [](const Buffer& buffer, std::int64_t count) {
        return Buffer{buffer.data, count, buffer.type, buffer.extent};
    };
    const std::int64_t all = block * comm.size();
    if constexpr (std::is_same_v<Vector, Scatterv>) {
        return {of(call.whole, all), of(call.mine, block), call.root};
    } else if constexpr (std::is_same_v<Vector, Gatherv>) {
        return {of(call.mine, block), of(call.whole, all), call.root};
    } else if constexpr (std::is_same_v<Vector, Allgatherv>) {
        const bool in_place = call.mine.data == call.part.block(call.result, comm.rank()).data;
        const Buffer row = of(call.result, all);
        return {in_place ? row.slice(block * comm.rank(), block) : of(call.mine, block), row};
    } else {
        return {of(call.input, all), of(call.result, block), call.op};
    }
}

}  // namespace

/// The call of all by the algorithm of that name, which knows no nodes; false: there is none, or it is a component.
template <class Call>
bool LibraryByRules::serve_by_name(const Call& call, const Comm& comm, const Choice& choice) const
{
    const Algorithm* const own = registry::find(collective_of<Call>, choice.algorithm->name);
    if (!own || !own->flat || !is_world(comm)) return false;
    const Parts parts(world_, comm.rank(), false, {});  // such texts have no components but ours
    own->run(call, Decomposition(parts), own->presets);
    return true;
}

/// Blocks have the lengths that they have where an algorithm of ours for such blocks has the name of the regular one.
/// Else all are as long as the longest.
template <class Vector>
void LibraryByRules::serve_vector(const Vector& call, const Comm& comm) const
{
    const auto regular = with_largest_block(call, comm);
    const Facts facts = facts_of(regular, comm);
    if (facts.count == 0 || comm.size() == 1) return;
    const auto collective = collective_of<typename Vector::Regular>;
    if (!serve_by_name(call, comm, choice(collective, facts.bytes, comm, true)))
        serve_regular(regular, comm, true);
}

void LibraryByRules::serve(const AnyCall& call, const Comm& comm) const
{
    call.visit([&]<class Call>(const Call& its) {
        constexpr std::int64_t unknown = -1;
        if constexpr (is_between_pairs<Call>) {
            const Collective own = collective_of<Call>;
            if (!rule(own, unknown, comm, false) ||
                !serve_by_name(its, comm, choice(own, unknown, comm, false)))
                ours::serve(its, comm);
        } else if constexpr (is_vector<Call>)
            serve_vector(its, comm);
        else if constexpr (requires { its.whole; })
            serve_regular(as_seen(its, comm), comm, false);
        else
            serve_regular(its, comm, false);
    });
}

}  // namespace laneway::simulate
