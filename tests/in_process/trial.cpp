// SPDX-License-Identifier: BSD-3-Clause
#include "trial.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "brackets.hpp"
#include "calls.hpp"
#include "choose/settings.hpp"
#include "collectives/algorithm.hpp"
#include "decomposition/recorded.hpp"
#include "schedule/recorder.hpp"

namespace laneway::in_process {
namespace {

template <class Call>
Facts facts_of_case(const Case& now)
{
    if constexpr (std::is_same_v<Call, Barrier>) return {.count = 1, .bytes = 0};
    if constexpr (is_vector<Call> && !reduces<Call>) return {.count = 1, .bytes = -1};
    if constexpr (is_vector<Call> && reduces<Call>)
        return {.count = Blocks(now).row().count(),
                .bytes = now.count * now.kind->bytes,
                .order_matters = !now.kind->commutative};
    const bool blocks = std::is_same_v<Call, ReduceScatterBlock>;
    return {.count = now.count * (blocks ? now.machine->ranks() : 1),
            .bytes = now.count * now.kind->bytes,
            .order_matters = reduces<Call> && !now.kind->commutative};
}

/// Judges rows against what they must be. The rows of a case come by rank.
class Judge {
public:
    Judge(const Case& now, Stage& stage, std::int64_t elements)
        : now_(now),
          stage_(stage),
          elements_(elements)
    {
    }

    std::string fault_in(const Row& row)
    {
        const std::size_t bytes = row_bytes(*now_.kind, row.length);
        // Often the same is expected on all ranks.
        if (row.expected != shown_ || row.length != length_) show(row, bytes);
        if (std::memcmp(row.memory, stage_.image.data(), bytes) == 0) return {};
        return where(row, bytes);
    }

private:
    using Of = Expected::Of;

    void show(const Row& row, std::size_t bytes)
    {
        shown_ = row.expected;
        length_ = row.length;
        const std::int64_t count = row.expected.count;
        clear_row(room_for(static_cast<std::int64_t>(bytes), stage_.image), bytes);
        if (row.expected.of == Of::nothing) return;
        expect(row.expected);
        std::byte* const elements = elements_of(stage_.image.data());
        now_.kind->write(elements, stage_.values.data(), count);
        if (count == row.length) return;
        length_ = -1;
        const std::int64_t rest = row.length - count, offset = count * now_.kind->extent;
        Value* const values = room_for(rest, stage_.values);
        now_.kind->read(elements_of(row.memory) + offset, values, rest);
        now_.kind->write(elements + offset, values, rest);
    }

    void expect(const Expected& expected)
    {
        const auto [of, ranks, first, count] = expected;
        Value* const to = room_for(count, stage_.values);
        if (of == Of::operands) operands(ranks, first, count, to);
        if (of == Of::blocks)
            for (int rank = 0; rank < now_.machine->ranks(); ++rank)
                operands(rank, first, now_.count, to + rank * now_.count);
        if (of == Of::lengths) {
            const Partition row = Blocks(now_).row();
            for (int rank = 0; rank < row.parts(); ++rank)
                operands(rank, 0, row.size(rank), to + row.first(rank));
        }
        if (of == Of::received) {
            std::int64_t done = 0;
            const Blocks blocks(now_);
            pass(blocks, ranks);
            for (int origin = 0; origin < now_.machine->ranks(); ++origin) {
                const std::int64_t length = blocks.size(origin, ranks);
                operands(origin, passed_elements_[static_cast<std::size_t>(origin)], length,
                         to + done);
                done += length;
            }
        }
        if (of == Of::reduced && !now_.kind->fold) {
            for (std::int64_t i = 0; i < count; ++i) to[i] = in_brackets_of(ranks, first + i);
        } else if (of == Of::reduced) {
            add_up(ranks);
            std::copy_n(stage_.sums.begin() + first, count, to);
        }
    }

    /// An element of what is expected of ranks below `ranks`.
    Value in_brackets_of(int ranks, std::int64_t element) const
    {
        std::vector<Value> values(static_cast<std::size_t>(now_.machine->ranks()));
        for (int rank = 0; rank < now_.machine->ranks(); ++rank)
            operands(rank, element, 1, &values[static_cast<std::size_t>(rank)]);
        const int rank = now_.collective == "exscan" ? ranks : ranks - 1;
        return in_brackets(now_.collective, rank, values);
    }

    /// Passes the blocks that each rank sends to those before `target`, from the last target on.
    void pass(const Blocks& blocks, int target)
    {
        if (passed_ > target) passed_ = 0;
        if (passed_ == 0)
            passed_elements_.assign(static_cast<std::size_t>(now_.machine->ranks()), 0);
        for (; passed_ < target; ++passed_)
            for (int origin = 0; origin < now_.machine->ranks(); ++origin)
                passed_elements_[static_cast<std::size_t>(origin)] += blocks.size(origin, passed_);
    }

    /// Sums are of ranks below `ranks`, from now on.
    void add_up(int ranks)
    {
        if (added_ > ranks) added_ = 0;
        Value* const sums = room_for(elements_, stage_.sums);
        Value* const next = room_for(elements_, stage_.next);
        for (; added_ < ranks; ++added_) {
            operands(added_, 0, elements_, added_ == 0 ? sums : next);
            if (added_ > 0) now_.kind->fold(sums, next, elements_);
        }
    }

    std::string where(const Row& row, std::size_t bytes)
    {
        std::vector<Value> got(static_cast<std::size_t>(row.length)), right = got;
        const std::byte* const expected = elements_of(stage_.image.data());
        now_.kind->read(elements_of(row.memory), got.data(), row.length);
        now_.kind->read(expected, right.data(), row.length);
        const auto wrong = std::ranges::mismatch(got, right).in1 - got.begin();
        // Whether all is well but for the data.
        now_.kind->write(elements_of(stage_.image.data()), got.data(), row.length);
        length_ = -1;
        if (std::memcmp(row.memory, stage_.image.data(), bytes) != 0)
            return "written outside the data";
        return "wrong from element " + std::to_string(wrong) + " on";
    }

    const Case& now_;
    Stage& stage_;
    const std::int64_t elements_;  ///< elements that a rank has operands of
    Expected shown_;
    std::int64_t length_ = -1;  ///< length of the row that the image is of
    int added_ = 0;
    int passed_ = 0;
    std::vector<std::int64_t>
        passed_elements_;  ///< elements of each rank's blocks for the targets that were passed
};

/// Whether the program combines other numbers of elements than `whole`.
bool divides(const Program& program, std::int64_t whole)
{
    const auto is_part = [whole](const Operation& operation) {
        return operation.kind == Operation::Kind::reduce && operation.count != whole;
    };
    return std::ranges::any_of(program.strands, [&](const Strand& strand) {
        return std::ranges::any_of(strand.operations, is_part);
    });
}

template <class Call>
Outcome carry_out(const Case& now, Stage& stage, std::int64_t most_messages)
{
    Outcome outcome;
    const int size = now.machine->ranks();
    const auto* const algorithm = registry::find(collective_of<Call>, now.algorithm);
    Tunables tunables = algorithm->presets;
    // A case draws values for the tunables of all algorithms.
    for (const auto& [name, preset] : algorithm->presets.all())
        for (const auto& [drawn, value] : now.tunables)
            if (drawn == name) tunables.set(name, value);

    stage.rows.clear();
    stage.carrier.start(now.kind->op, now.seed);
    if (stage.programs.size() < static_cast<std::size_t>(size))
        stage.programs.resize(static_cast<std::size_t>(size));
    Caller caller(now, algorithm->tells(tunables), stage);
    std::int64_t posted = 0;
    for (int rank = 0; rank < size; ++rank) {
        const Decomposition on(now.machine->parts[static_cast<std::size_t>(rank)]);
        const Symbolic<Call> symbolic(caller.template operator()<Call>(rank));
        Program& program = stage.programs[static_cast<std::size_t>(rank)];
        program.clear();
        Recorder recorder(on.world, symbolic.bases.size(), on.tags(), now.saves_bytes,
                          std::move(program));
        algorithm->run(symbolic.call, on, tunables);
        program = recorder.take();
        if (!is_predefined(now.kind->op))
            outcome.divides |= divides(program, facts_of_case<Call>(now).count);
        for (const Strand& strand : program.strands) posted += strand.messages;
        outcome.is_too_large = posted > 2 * most_messages;
        if (outcome.is_too_large) return outcome;
        stage.carrier.add(program, symbolic.bases);
    }
    stage.carrier.run();
    outcome.messages = stage.carrier.messages();

    Judge judge(now, stage, facts_of_case<Call>(now).count);
    for (std::size_t rank = 0; rank < static_cast<std::size_t>(size); ++rank) {
        const std::size_t first = caller.first_rows()[rank];
        for (std::size_t row = first; row < caller.first_rows()[rank + 1]; ++row) {
            const std::string fault = judge.fault_in(caller.rows()[row]);
            if (fault.empty()) continue;
            outcome.fault = "rank " + std::to_string(rank) + ": " + fault + ", buffer " +
                            std::to_string(row - first);
            return outcome;
        }
    }
    return outcome;
}

/// `body(type)` for the collective of that name.
template <class Body>
void with_call(std::string_view collective, const Body& body)
{
    for_each_call([&]<class Call>(std::type_identity<Call> call) {
        if (collective == Call::name) body(call);
    });
}

}  // namespace

std::byte* Rows::take(std::size_t bytes)
{
    constexpr std::size_t usual = std::size_t{1} << 20, line = 16;
    bytes = (bytes + line - 1) / line * line;
    while (chunk_ < chunks_.size() && used_ + bytes > chunks_[chunk_].bytes) {
        ++chunk_;
        used_ = 0;
    }
    if (chunk_ == chunks_.size()) {
        const std::size_t room = std::max(usual, bytes);
        chunks_.push_back({std::unique_ptr<std::byte[]>(new std::byte[room]), room});
    }
    std::byte* const start = chunks_[chunk_].memory.get() + used_;
    used_ += bytes;
    return start;
}

std::string Case::id() const
{
    std::string text = std::string(collective) + "/" + std::string(algorithm) + " " +
                       machine->name + " " + kind->name + " count=" + std::to_string(count);
    if (has_root(collective)) text += " root=" + std::to_string(root);
    if (layout > 0) text += " layout=" + std::to_string(layout);
    if (in_place) text += " in-place";
    if (saves_bytes) text += " saves-bytes";
    for (const auto& [name, value] : tunables)
        text += " " + std::string(name) + "=" + std::to_string(value);
    return text + " seed=" + std::to_string(seed);
}

bool is_eligible(const Case& now)
{
    bool eligible = false;
    with_call(now.collective, [&]<class Call>(std::type_identity<Call>) {
        const auto* const algorithm = registry::find(collective_of<Call>, now.algorithm);
        eligible = algorithm->needs.hold(facts_of_case<Call>(now), *now.machine->layout);
    });
    return eligible;
}

bool may_divide(std::string_view collective, std::string_view algorithm)
{
    bool may = false;
    with_call(collective, [&]<class Call>(std::type_identity<Call>) {
        may = registry::find(collective_of<Call>, algorithm)->needs.elementwise;
    });
    return may;
}

Outcome outcome_of(const Case& now, Stage& stage, std::int64_t most_messages)
{
    Outcome outcome;
    with_call(now.collective, [&]<class Call>(std::type_identity<Call>) {
        try {
            outcome = carry_out<Call>(now, stage, most_messages);
        } catch (const std::exception& error) {
            outcome.fault = error.what();
        }
    });
    return outcome;
}

std::vector<Names> algorithms()
{
    std::vector<Names> names;
    for_each_call([&]<class Call>(std::type_identity<Call>) {
        for (const auto& algorithm : registry::all(collective_of<Call>))
            names.emplace_back(Call::name, algorithm.name);
    });
    return names;
}

std::vector<Reproducible> reproducible()
{
    static const Settings settings("reproducible 1\n");
    std::vector<Reproducible> all;
    for_each_call([&]<class Call>(std::type_identity<Call>) {
        for (const Rule& rule : settings.rules().all(Scope::user, collective_of<Call>)) {
            const auto& [algorithm, tunables, by_hand] = rule.choice;
            if (algorithm->needs != Requires{.elementwise = rule.whole.has_value()} ||
                (rule.whole && rule.whole->algorithm->needs != Requires{}))
                throw std::logic_error(algorithm->name + " does not serve every call");
            all.push_back({Call::name, algorithm->name, tunables.all()});
            if (rule.whole)
                all.push_back(
                    {Call::name, rule.whole->algorithm->name, rule.whole->tunables.all()});
        }
    });
    return all;
}

bool has_root(std::string_view collective)
{
    bool rooted = false;
    with_call(collective, [&]<class Call>(std::type_identity<Call>) {
        rooted = requires(const Call& call) { call.root; };
    });
    return rooted;
}

bool reduces_elements(std::string_view collective)
{
    bool does = false;
    with_call(collective, [&]<class Call>(std::type_identity<Call>) { does = reduces<Call>; });
    return does;
}

bool has_blocks(std::string_view collective)
{
    bool blocks = false;
    with_call(collective, [&]<class Call>(std::type_identity<Call>) {
        blocks = Call::message != Message::one;
    });
    return blocks;
}

bool has_lengths(std::string_view collective)
{
    bool has = false;
    with_call(collective, [&]<class Call>(std::type_identity<Call>) { has = is_vector<Call>; });
    return has;
}

bool is_never_in_place(std::string_view collective)
{
    bool never = false;
    with_call(collective, [&]<class Call>(std::type_identity<Call>) {
        never = std::is_same_v<Call, NeighborAlltoallv> || std::is_same_v<Call, Bcast> ||
                std::is_same_v<Call, Scatter> || std::is_same_v<Call, Scatterv> ||
                std::is_same_v<Call, Barrier>;
    });
    return never;
}

}  // namespace laneway::in_process
