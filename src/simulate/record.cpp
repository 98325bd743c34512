// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/record.hpp"

#include <algorithm>
#include <climits>
#include <optional>
#include <type_traits>

#include "choose/rules.hpp"
#include "collectives/facts_of.hpp"
#include "decomposition/contexts.hpp"
#include "decomposition/decomposition.hpp"
#include "decomposition/recorded.hpp"
#include "messages/wire.hpp"
#include "providers/plain.hpp"
#include "schedule/recorder.hpp"
#include "simulate/lengths.hpp"
#include "simulate/library_by_rules.hpp"
#include "text/text.hpp"

namespace laneway::simulate {
namespace {

/// The caller's elements as algorithms get them: in units of the wire where data are moved, as they are where data
/// are reduced.
struct Elements {
    MPI_Datatype type;
    std::int64_t count;  ///< elements of the message, or of a block

    Buffer buffer(std::int64_t blocks = 1) const
    {
        return Buffer::of(nullptr, count * blocks, type);
    }
};

/// Gives a vector collective its blocks on a process.
template <class Call>
void lay_out(Call& call, const Blocks& blocks, int rank)
{
    if constexpr (is_between_pairs<Call>) {
        call.input_part = blocks.sent_by(rank);
        call.input.count = call.input_part.count();
        call.result_part = blocks.received_by(rank);
        call.result.count = call.result_part.count();
    } else {
        call.part = blocks.by_rank();
        const std::int64_t all = call.part.count(), own = call.part.size(rank);
        if constexpr (requires { call.input; }) call.input.count = all;
        if constexpr (requires { call.whole; }) call.whole.count = all;
        if constexpr (requires { call.mine; }) call.mine.count = own;
        if constexpr (requires { call.result; }) call.result.count = reduces<Call> ? own : all;
    }
}

template <class Call>
Crossing crossing_of(const Job& job)
{
    constexpr BlockFlow flow = is_between_pairs<Call> ? BlockFlow::between_pairs
                               : is_rooted<Call>      ? BlockFlow::with_root
                                                      : BlockFlow::with_all;
    std::vector<int> nodes;
    for (int rank = 0; rank < job.layout->ranks(); ++rank)
        nodes.push_back(job.layout->locate(rank).node);
    return crossing(flow, job.blocks, static_cast<std::size_t>(job.count), size_of(job.type), nodes,
                    job.root);
}

template <class Call>
Call call_of(const Elements& of, int ranks, int root)
{
    constexpr bool has_blocks = Call::message != Message::one;
    const Buffer row = of.buffer(has_blocks ? ranks : 1);
    Call call{};
    if constexpr (requires { call.data; }) call.data = of.buffer();
    if constexpr (requires { call.whole; }) call.whole = row;
    if constexpr (requires { call.mine; }) call.mine = of.buffer();
    if constexpr (requires { call.input; })
        call.input = Call::message == Message::personal ? row : of.buffer();
    if constexpr (requires { call.result; }) call.result = reduces<Call> ? of.buffer() : row;
    if constexpr (reduces<Call>) call.op = MPI_SUM;
    if constexpr (is_rooted<Call>) call.root = root;
    return call;
}

/// The copies of a block that algorithms must be able to count.
template <class Call>
std::int64_t copies(std::int64_t ranks)
{
    if (std::is_same_v<Call, Bcast>) return 1;
    return std::is_same_v<Call, Alltoall> || is_between_pairs<Call> ? ranks * ranks : ranks;
}

Choice choice_of(const Job& job, Collective collective)
{
    Rules rules;
    rules.add_list(job.collective + "=" + job.algorithm, "--algorithm");
    return rules.all(Scope::user, collective).back().choice;
}

/// The algorithm that serves the call on this process. A simulated operator looks at the length that it is called
/// with, so it may meet empty shares.
const Algorithm* serving(const Algorithm* asked, const Facts& facts, const Layout& on,
                         bool empty_shares)
{
    if (asked && empty_shares) {
        Requires unmet = asked->needs.unmet(facts, on);
        unmet.shares = false;
        if (unmet == Requires{}) return asked;
    }
    return registry::eligible(asked, facts, on);
}

/// Whether only our collectives serve. In a program such calls make no communicators for the library's. Until a
/// longer call has made them, parts have none, unless one is the whole.
bool all_ours(const Job& job, const Algorithm* algorithm, const Facts& facts)
{
    if (job.short_too || !algorithm || algorithm->may_call_library(facts)) return false;
    const bool one_is_whole = job.layout->nodes() == 1 || job.layout->largest() == 1;
    return algorithm->flat || algorithm->concurrent || !one_is_whole;
}

template <class Call>
Recorded record_call(const Job& job, const std::function<void(double part)>& progress)
{
    constexpr int ranks_between = 4096;
    constexpr std::size_t steps_between = 1u << 20;  // one rank may have thousands
    const int ranks = job.layout->ranks();
    const auto [asked, tunables, by_hand] = choice_of(job, collective_of<Call>);
    if (!asked && job.library.empty())
        throw Misunderstood("native is the MPI library's own: there is none here");
    const LibraryRules of_library =
        job.library.empty() ? LibraryRules() : rules_of_library(job.library);
    std::optional<LibraryByRules> library;
    if (!job.library.empty()) library.emplace(of_library, job.layout);

    const std::int64_t bytes = std::is_same_v<Call, Barrier> ? 0 : job.count * size_of(job.type);
    // Blocks that differ are whole numbers of the caller's elements.
    const bool differ = is_vector<Call> && job.blocks.shape != BlockLayout::Shape::equal;
    const std::int64_t element = size_of(job.type);
    const auto unit =
        differ ? Unit::dividing(element, copies<Call>(ranks) * std::max<std::int64_t>(1, job.count))
               : Unit::dividing(bytes, copies<Call>(ranks));
    Elements elements{job.type, job.count};
    if (!reduces<Call>) {
        if (!unit) throw Misunderstood("more data than MPI can count");
        elements = {unit->type(), bytes / unit->size()};
    } else if (job.count > INT_MAX / (Call::message == Message::one ? 1 : ranks)) {
        throw Misunderstood("more data than MPI can count");
    }

    const std::int64_t scale = differ && !reduces<Call> ? element / unit->size() : 1;
    const Blocks blocks =
        differ ? Blocks(job.blocks, job.count, scale, ranks) : Blocks(elements.count, ranks);
    Known known(blocks, *job.layout);
    Recorded result;
    result.bytes = bytes;
    if constexpr (is_vector<Call>) result.crossing = crossing_of<Call>(job);
    std::size_t told_at = 0;
    for (int rank = 0; rank < ranks; ++rank) {
        const std::size_t steps = result.schedule.steps().size();
        if (progress && (rank % ranks_between == 0 || steps - told_at >= steps_between)) {
            progress(static_cast<double>(rank) / ranks);
            told_at = steps;
        }
        const Comm world = Comm::recorded(context::world, rank, ranks, nullptr);
        Call call = call_of<Call>(elements, ranks, job.root);
        if constexpr (is_vector<Call>) lay_out(call, blocks, rank);
        const auto buffers = buffers_of(call);
        std::int64_t held = 0;
        for (const Buffer* const buffer : buffers) held += buffer->count * size_of(buffer->type);
        result.buffers = std::max(result.buffers, held);
        for (std::size_t base = 0; base < buffers.size(); ++base)
            buffers[base]->data = symbolic::address(base);

        const Facts facts = facts_of(call, world);
        const Algorithm* const algorithm = serving(asked, facts, *job.layout, job.empty_shares);
        if (algorithm) result.served_by = algorithm->name;
        if (algorithm != asked) result.needs = asked->needs.unmet(facts, *job.layout).text();
        if ((asked && !algorithm) || facts.count == 0) return result;
        const bool described = library && !all_ours(job, algorithm, facts);
        const Tunables& tuned = algorithm == asked ? tunables : algorithm->presets;
        const Parts parts(job.layout, rank, false,
                          {described ? &*library : nullptr, job.short_too});
        const Decomposition on(parts);
        [[maybe_unused]] std::vector<std::int64_t> passing;
        if constexpr (is_between_pairs<Call>) {
            call.of_node = &known.on_node_of(rank);
            if (algorithm)
                if (const Circle circle = algorithm->tells(tuned); circle.told == Told::passing)
                    call.passing = passing = blocks.passing(rank, circle, size_of(elements.type));
            call.longest = differ ? static_cast<std::int64_t>(result.crossing->longest) * scale
                                  : elements.count;
        }
        Recorder recorder(on.world, buffers.size(), on.tags(), job.saves_bytes);
        if (algorithm)
            algorithm->run(call, on, tuned);
        else
            plain::serve(call, on.world, on.described(), plain::By::native);
        result.schedule.add(recorder.take());
    }
    if (library) {
        if (!asked) result.served_by = library->served_by();
        result.rules.assign(library->decided().begin(), library->decided().end());
    }
    result.schedule.match();
    return result;
}

}  // namespace

Recorded record(const Job& job, const std::function<void(double part)>& progress)
{
    Recorded result{};
    with_call(collective_named(job.collective), [&]<class Call>(std::type_identity<Call>) {
        result = record_call<Call>(job, progress);
    });
    return result;
}

}  // namespace laneway::simulate
