// SPDX-License-Identifier: BSD-3-Clause
#include "trial.hpp"

#include <functional>
#include <optional>
#include <tuple>

#include "carriers/in_process.hpp"
#include "decomposition/decomposition.hpp"
#include "decomposition/recorded.hpp"
#include "schedule/recorder.hpp"

namespace laneway::in_process {
namespace {

/// What an element of a buffer must be in the end.
using Expected = std::function<Value(std::int64_t element)>;

/// One rank's part of a call: its rows, which the call's buffers lie in, and what must become of them.
struct Part {
    struct Result {
        std::size_t row;
        std::int64_t count;
        Expected expected;
    };
    std::deque<Row> rows;
    std::vector<Result> results;

    Row& row(const Elements& kind, std::int64_t count) { return rows.emplace_back(kind, count); }
    /// Of the last row, its first `count` elements.
    void expect(std::int64_t count, Expected expected)
    {
        results.emplace_back(rows.size() - 1, count, std::move(expected));
    }
    void expect(Expected expected) { expect(rows.back().buffer().count, std::move(expected)); }
};

/// A row with the operands of `rank` in it, elements `first` on.
Row& operands(Part& part, const Case& now, int rank, std::int64_t count)
{
    Row& row = part.row(*now.kind, count);
    for (std::int64_t i = 0; i < count; ++i) row.set(i, operand(*now.kind, rank, i));
    return row;
}

/// What is input stays as it is.
void expect_unchanged(Part& part, const Case& now, int rank)
{
    part.expect([&now, rank](std::int64_t i) { return operand(*now.kind, rank, i); });
}

Bcast call_of(std::type_identity<Bcast>, const Case& now, int rank, Part& part)
{
    Row& row =
        rank == now.root ? operands(part, now, rank, now.count) : part.row(*now.kind, now.count);
    expect_unchanged(part, now, now.root);
    return {row.buffer(), now.root};
}

Scatter call_of(std::type_identity<Scatter>, const Case& now, int rank, Part& part)
{
    const int size = now.layout->ranks();
    Buffer whole{nullptr, now.count * size, now.kind->type, extent_of(now.kind->type)};
    if (rank == now.root) {
        whole = operands(part, now, now.root, now.count * size).buffer();
        expect_unchanged(part, now, now.root);
    }
    Row& mine = part.row(*now.kind, now.count);
    part.expect([&now, rank](std::int64_t i) {
        return operand(*now.kind, now.root, rank * now.count + i);
    });
    return {whole, mine.buffer(), now.root};
}

/// Block `rank` of a row that holds everyone's.
Value of_row(const Case& now, std::int64_t i)
{
    return operand(*now.kind, static_cast<int>(i / now.count), i % now.count);
}

Buffer own_block(const Case& now, Row& whole, int rank)
{
    for (std::int64_t i = 0; i < now.count; ++i)
        whole.set(rank * now.count + i, operand(*now.kind, rank, i));
    return whole.buffer().slice(rank * now.count, now.count);
}

Gather call_of(std::type_identity<Gather>, const Case& now, int rank, Part& part)
{
    const int size = now.layout->ranks();
    Buffer whole{nullptr, now.count * size, now.kind->type, extent_of(now.kind->type)};
    Buffer mine{};
    if (rank != now.root || !now.in_place) {
        mine = operands(part, now, rank, now.count).buffer();
        expect_unchanged(part, now, rank);
    }
    if (rank == now.root) {
        Row& row = part.row(*now.kind, now.count * size);
        part.expect([&now](std::int64_t i) { return of_row(now, i); });
        whole = row.buffer();
        if (now.in_place) mine = own_block(now, row, rank);
    }
    return {mine, whole, now.root};
}

Allgather call_of(std::type_identity<Allgather>, const Case& now, int rank, Part& part)
{
    Buffer mine{};
    if (!now.in_place) {
        mine = operands(part, now, rank, now.count).buffer();
        expect_unchanged(part, now, rank);
    }
    Row& whole = part.row(*now.kind, now.count * now.layout->ranks());
    part.expect([&now](std::int64_t i) { return of_row(now, i); });
    if (now.in_place) mine = own_block(now, whole, rank);
    return {mine, whole.buffer()};
}

Alltoall call_of(std::type_identity<Alltoall>, const Case& now, int rank, Part& part)
{
    const std::int64_t all = now.count * now.layout->ranks();
    const auto arrived = [&now, rank](std::int64_t i) {
        return operand(*now.kind, static_cast<int>(i / now.count),
                       rank * now.count + i % now.count);
    };
    Row& input = operands(part, now, rank, all);
    if (now.in_place) {
        part.expect(arrived);
        return {input.buffer(), input.buffer()};
    }
    expect_unchanged(part, now, rank);
    Row& result = part.row(*now.kind, all);
    part.expect(arrived);
    return {input.buffer(), result.buffer()};
}

/// Input and result of a reduction of `count` elements, of which `length` result.
std::pair<Buffer, Buffer> reduced(const Case& now, int rank, Part& part, std::int64_t count,
                                  std::int64_t length, const Expected& expected)
{
    Row& input = operands(part, now, rank, count);
    if (now.in_place) {
        // Beyond the result, an in-place input is memory that may be used.
        if (expected) part.expect(length, expected);
        return {input.buffer(), input.buffer().slice(0, length)};
    }
    expect_unchanged(part, now, rank);
    Row& result = part.row(*now.kind, length);
    if (expected) part.expect(expected);
    return {input.buffer(), result.buffer()};
}

Expected sum_of(const Case& now, int first, int last, std::int64_t offset = 0)
{
    return [&now, first, last, offset](std::int64_t i) {
        return reduction(*now.kind, first, last, offset + i);
    };
}

Allreduce call_of(std::type_identity<Allreduce>, const Case& now, int rank, Part& part)
{
    const auto [input, result] =
        reduced(now, rank, part, now.count, now.count, sum_of(now, 0, now.layout->ranks()));
    return {input, result, now.kind->op};
}

Reduce call_of(std::type_identity<Reduce>, const Case& now, int rank, Part& part)
{
    if (rank != now.root) {
        const Buffer input = operands(part, now, rank, now.count).buffer();
        expect_unchanged(part, now, rank);
        return {input, {nullptr, now.count, now.kind->type, input.extent}, now.kind->op, now.root};
    }
    const auto [input, result] =
        reduced(now, rank, part, now.count, now.count, sum_of(now, 0, now.layout->ranks()));
    return {input, result, now.kind->op, now.root};
}

ReduceScatterBlock call_of(std::type_identity<ReduceScatterBlock>, const Case& now, int rank,
                           Part& part)
{
    const int size = now.layout->ranks();
    const auto [input, result] = reduced(now, rank, part, now.count * size, now.count,
                                         sum_of(now, 0, size, rank * now.count));
    return {input, result, now.kind->op};
}

Scan call_of(std::type_identity<Scan>, const Case& now, int rank, Part& part)
{
    const auto [input, result] =
        reduced(now, rank, part, now.count, now.count, sum_of(now, 0, rank + 1));
    return {input, result, now.kind->op};
}

Exscan call_of(std::type_identity<Exscan>, const Case& now, int rank, Part& part)
{
    const auto [input, result] = reduced(now, rank, part, now.count, now.count,
                                         rank > 0 ? sum_of(now, 0, rank) : Expected{});
    if (rank == 0 && now.in_place) expect_unchanged(part, now, 0);
    return {input, result, now.kind->op};
}

Barrier call_of(std::type_identity<Barrier>, const Case&, int, Part&) { return {}; }

template <class Call>
Facts facts_of_case(const Case& now)
{
    if constexpr (std::is_same_v<Call, Barrier>) return {.count = 1, .bytes = 0};
    const bool blocks = std::is_same_v<Call, ReduceScatterBlock>;
    return {.count = now.count * (blocks ? now.layout->ranks() : 1),
            .bytes = now.count * now.kind->numbers * 4,
            .order_matters = reduces<Call> && !now.kind->commutative};
}

std::string fault_in(const std::vector<Part>& parts)
{
    for (std::size_t rank = 0; rank < parts.size(); ++rank) {
        for (const Row& row : parts[rank].rows)
            if (row.is_overrun())
                return "rank " + std::to_string(rank) + ": written outside the data";
        for (const auto& [index, count, expected] : parts[rank].results)
            for (std::int64_t i = 0; i < count; ++i)
                if (parts[rank].rows[index].get(i) != expected(i))
                    return "rank " + std::to_string(rank) + ": wrong from element " +
                           std::to_string(i) + " of buffer " + std::to_string(index) + " on";
    }
    return {};
}

template <class Call>
std::string fault_of_call(const Case& now, std::int64_t& messages)
{
    const int size = now.layout->ranks();
    std::vector<Part> parts(static_cast<std::size_t>(size));
    std::deque<Program> programs;
    InProcess carrier(now.kind->op, now.seed);
    for (int rank = 0; rank < size; ++rank) {
        const Parts parts_of_rank(now.layout, rank);
        const Decomposition on(parts_of_rank);
        const auto* const algorithm = Registry<Call>::eligible(Registry<Call>::find(now.algorithm),
                                                               facts_of_case<Call>(now), on);
        if (!algorithm || algorithm->name != now.algorithm) return {};
        Tunables tunables = algorithm->presets;
        for (const auto& [name, value] : now.tunables) tunables.set(name, value);

        const Symbolic<Call> symbolic(
            call_of(std::type_identity<Call>{}, now, rank, parts[static_cast<std::size_t>(rank)]));
        Recorder recorder(on.world, symbolic.bases.size(), on.tags(), now.saves_bytes);
        algorithm->run(symbolic.call, on, tunables);
        programs.push_back(recorder.take());
        carrier.add(programs.back(), symbolic.bases);
    }
    carrier.run();
    messages += carrier.messages();
    return fault_in(parts);
}

}  // namespace

std::string Case::id() const
{
    std::string text = std::string(collective) + "/" + std::string(algorithm) + " " + shape + " " +
                       kind->name + " count=" + std::to_string(count);
    if (has_root(collective)) text += " root=" + std::to_string(root);
    if (in_place) text += " in-place";
    if (saves_bytes) text += " saves-bytes";
    for (const auto& [name, value] : tunables) text += " " + name + "=" + std::to_string(value);
    return text + " seed=" + std::to_string(seed);
}

std::string fault_of(const Case& the_case, std::int64_t& messages)
{
    std::string fault;
    for_each_call([&]<class Call>(std::type_identity<Call>) {
        if (the_case.collective != Call::name) return;
        try {
            fault = fault_of_call<Call>(the_case, messages);
        } catch (const std::exception& error) {
            fault = error.what();
        }
    });
    return fault;
}

std::vector<std::pair<std::string_view, std::string_view>> algorithms()
{
    std::vector<std::pair<std::string_view, std::string_view>> names;
    for_each_call([&]<class Call>(std::type_identity<Call>) {
        for (const auto& algorithm : Registry<Call>::all())
            names.emplace_back(Call::name, algorithm.name);
    });
    return names;
}

bool has_root(std::string_view collective)
{
    bool rooted = false;
    for_each_call([&]<class Call>(std::type_identity<Call>) {
        if (collective == Call::name) rooted = requires(const Call& call) { call.root; };
    });
    return rooted;
}

bool reduces_elements(std::string_view collective)
{
    bool does = false;
    for_each_call([&]<class Call>(std::type_identity<Call>) {
        if (collective == Call::name) does = reduces<Call>;
    });
    return does;
}

}  // namespace laneway::in_process
