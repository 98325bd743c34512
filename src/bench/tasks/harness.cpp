// SPDX-License-Identifier: BSD-3-Clause
#include "bench/tasks/harness.hpp"

#include <laneway.h>

#include <algorithm>
#include <array>
#include <limits>

#include "bench/job/clock.hpp"
#include "bench/job/ranks.hpp"
#include "library/error.hpp"

namespace laneway::bench {
namespace {

/// The traces that a repetition leaves on the ranks together: the largest of some values, the sum of others.
struct Traces {
    std::array<double, 6> most;
    std::array<double, 2> sum;
};

void join_pair(void* in, void* in_out, int* count, MPI_Datatype*)
{
    const auto* const from = static_cast<const Traces*>(in);
    auto* const to = static_cast<Traces*>(in_out);
    for (int i = 0; i < *count; ++i) {
        for (std::size_t j = 0; j < from[i].most.size(); ++j)
            to[i].most[j] = std::max(to[i].most[j], from[i].most[j]);
        for (std::size_t j = 0; j < from[i].sum.size(); ++j) to[i].sum[j] += from[i].sum[j];
    }
}

/// Joins the traces of all ranks, on all ranks, at the price of one reduction.
void join(std::vector<Traces>& traces, MPI_Comm comm)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Op op = MPI_OP_NULL;
    check(MPI_Type_contiguous(sizeof(Traces) / sizeof(double), MPI_DOUBLE, &type));
    check(MPI_Type_commit(&type));
    check(MPI_Op_create(join_pair, 1, &op));
    check(MPI_Allreduce(MPI_IN_PLACE, traces.data(), static_cast<int>(traces.size()), type, op,
                        comm));
    check(MPI_Op_free(&op));
    check(MPI_Type_free(&type));
}

}  // namespace

Harness::Harness(const Case& of, const Options& options, const Team& team, unsigned seed,
                 Session& session)
    : case_(of),
      options_(options),
      team_(team),
      session_(session),
      start_(options.sync, options.arrival, seed, team, session.clock, session.notice),
      inner_(std::max(1, options.inner_repetitions))
{
    const bool helped = of.operation.has_helpers;
    if (of.operation.has_peer_types) of_odd_peers_.emplace(of.type.handle);
    const MPI_Datatype odd = of_odd_peers_ ? of_odd_peers_->handle() : MPI_DATATYPE_NULL;
    for (int thread = 0; thread < (helped ? 1 : options.threads); ++thread) {
        Problem problem{.comm = MPI_COMM_NULL,
                        .rank = team.machine.rank,
                        .size = team.machine.size,
                        .count = of.count,
                        .type = of.type,
                        .op = reduction_op(options.op),
                        .in_place = options.in_place && of.operation.has_in_place,
                        .layout = options.layout,
                        .nonblocking = of.operation.nonblocking,
                        .share = {}};
        if (helped)
            problem.share = [&crew = session.crew](const auto& work) {
                crew.run([&](int number) { work(number, crew.size()); });
            };
        if (of.operation.is_vector() && !lay_out(of.operation, problem, odd)) countable_ = false;
        callers_.push_back({std::move(problem), {}});
    }
    countable_ = largest({countable_ ? 0.0 : 1.0}, team.own).front() == 0;
    const Problem& problem = callers_.front().problem;
    if (options.cold > 0 && countable_) {
        const double calls = static_cast<double>(inner_) *
                             static_cast<double>(of.candidates.size()) *
                             (options.budget.repetitions + most_warm_up(options.budget) + 1);
        const int wanted =
            BufferPool::cold_slots(input_bytes(problem), output_bytes(problem), cold_share());
        slots_ = static_cast<int>(largest({std::min<double>(calls, wanted)}, team.own).front());
    }
}

std::size_t Harness::input_bytes(const Problem& problem) const
{
    return case_.operation.input(problem) * case_.type.extent;
}

std::size_t Harness::output_bytes(const Problem& problem) const
{
    return case_.operation.output(problem) * case_.type.extent;
}

double Harness::memory() const
{
    const Problem& problem = callers_.front().problem;
    const double own = BufferPool::bytes(input_bytes(problem), output_bytes(problem), slots_);
    return largest({own * static_cast<double>(callers_.size())}, team_.own).front();
}

/// The bytes of cache that a rank fills: the ranks of a node fill its cache together.
std::size_t Harness::cold_share() const
{
    return options_.cold / static_cast<std::size_t>(team_.machine.ppn);
}

std::optional<Crossing> Harness::crossed() const
{
    if (!case_.operation.is_vector() || !countable_) return std::nullopt;
    const Problem& problem = callers_.front().problem;
    return crossing(case_.operation.flow, problem.layout, static_cast<std::size_t>(problem.count),
                    static_cast<std::int64_t>(problem.type.size), team_.machine.node_of,
                    options_.root);
}

void Harness::prepare()
{
    for (Caller& caller : callers_) {
        caller.buffers =
            BufferPool(input_bytes(caller.problem), output_bytes(caller.problem), slots_);
        for (int slot = 0; slot < slots_; ++slot)
            case_.operation.fill(caller.problem, root(0), caller.buffers.slot(slot));
    }
    if (options_.cold > 0) BufferPool::evict(cold_share());
    venues_.emplace(team_, callers_.size()).open(case_, callers_.front().problem);
}

/// Has the calls that follow made for a candidate; returns the forced algorithm that is to be held meanwhile.
const Forced& Harness::turn_to(const Candidate& candidate)
{
    const auto& [forced, comms] = venues_->of(candidate);
    for (std::size_t thread = 0; thread < callers_.size(); ++thread)
        callers_[thread].problem.comm = comms[thread];
    return forced;
}

int Harness::roots() const
{
    return case_.operation.rooted && !options_.root ? team_.machine.size : 1;
}

int Harness::root(int repetition) const
{
    return options_.root.value_or(repetition % team_.machine.size);
}

/// Calls by all threads at once; returns the largest of their error codes.
int Harness::call_all(const char* algorithm, int root, int slot)
{
    if (callers_.size() == 1) return call(callers_.front(), algorithm, root, slot);
    std::vector<int> codes(callers_.size());
    session_.crew.run([&](int thread) {
        const auto place = static_cast<std::size_t>(thread);
        codes[place] = call(callers_[place], algorithm, root, slot);
    });
    return *std::ranges::max_element(codes);
}

std::optional<std::string> Harness::refusal(const Candidate& candidate)
{
    const Forced& forced = turn_to(candidate);
    if (auto why = forced.danger(output_bytes(callers_.front().problem))) return why;
    const Forced::Hold hold(forced);
    int code = call_all(candidate.name(), root(0), 0);
    check(MPI_Allreduce(MPI_IN_PLACE, &code, 1, MPI_INT, MPI_MAX, team_.own));
    if (code == MPI_SUCCESS) return std::nullopt;
    std::string text(MPI_MAX_ERROR_STRING, '\0');
    int length = 0;
    MPI_Error_string(code, text.data(), &length);
    return text.substr(0, static_cast<std::size_t>(length));
}

std::optional<Harness::Fault> Harness::verify(const Candidate& candidate, int root)
{
    for (const Caller& caller : callers_) {
        const Buffers memory = caller.buffers.slot(0);
        std::fill_n(memory.output, output_bytes(caller.problem), std::byte{0xa5});
        case_.operation.fill(caller.problem, root, memory);
    }
    {
        const Forced::Hold hold(turn_to(candidate));
        check(call_all(candidate.name(), root, 0));
    }

    std::int64_t wrong = -1;
    for (const Caller& caller : callers_) {
        const Expected expected = case_.operation.expected(caller.problem, root);
        const std::byte* const output = caller.buffers.slot(0).output;
        const std::size_t elements = case_.operation.output(caller.problem);
        for (std::size_t index = 0; index < elements && wrong < 0; ++index)
            if (const auto value = expected(index);
                value && !case_.type.holds(output, index, *value))
                wrong = static_cast<std::int64_t>(index);
    }

    const Machine& machine = team_.machine;
    int rank = wrong < 0 ? machine.size : machine.rank;
    check(MPI_Allreduce(MPI_IN_PLACE, &rank, 1, MPI_INT, MPI_MIN, team_.own));
    if (rank == machine.size) return std::nullopt;
    check(MPI_Bcast(&wrong, 1, MPI_INT64_T, rank, team_.own));
    return Fault{rank, wrong};
}

std::string Harness::served_by() const
{
    const bool served = laneway_algorithm(case_.operation.collective, 0) != nullptr;
    return served ? laneway_served_by(callers_.front().problem.comm) : "native";
}

/// Reads the devices' counters, when no message of a repetition is on its way.
Counters::Reading Harness::look() const
{
    if (!session_.counters.readable()) return {};
    team_.barrier();
    return session_.counters.read();
}

std::vector<Sample> Harness::repeat(const Candidate& candidate, int first, int repetitions,
                                    Tally& tally)
{
    constexpr int attempts = 4;
    for (int attempt = 1;; ++attempt) {
        Tally own = tally;
        std::vector<Sample> samples = repeat_once(candidate, first, repetitions, own);
        std::vector<double> hearing;
        for (const Sample& each : samples) hearing.push_back(each.hearing);
        if (!start_.were_in_time(std::move(hearing)) && attempt < attempts) continue;
        tally = std::move(own);
        return samples;
    }
}

std::vector<Sample> Harness::repeat_once(const Candidate& candidate, int first, int repetitions,
                                         Tally& tally)
{
    const auto number = static_cast<std::size_t>(repetitions);
    std::vector<Start> starts(number);
    std::vector<double> ends(number);
    const Counters::Reading before = look();
    const Forced& forced = turn_to(candidate);
    const char* const name = candidate.name();
    for (std::size_t i = 0; i < number; ++i) {
        const int repetition = first + static_cast<int>(i);
        const int root = this->root(repetition);
        const Forced::Hold hold(forced);
        starts[i] = start_(repetition);
        for (int inner = 0; inner < inner_; ++inner)
            check(call_all(name, root, next_slot_++ % slots_));
        if (candidate.delay > 1) sleep_for((now() - starts[i].time) * (candidate.delay - 1));
        ends[i] = now();
        tally.seconds += (ends[i] - starts[i].time) * case_.operation.share / inner_;
    }
    add_growth(tally.carried, before, look());
    return gather(starts, ends, first);
}

/// The samples of the repetitions, from what all ranks saw; repetitions are counted from `first`.
std::vector<Sample> Harness::gather(const std::vector<Start>& starts,
                                    const std::vector<double>& ends, int first) const
{
    const GlobalClock& clock = session_.clock;
    const double share = case_.operation.share / inner_;
    std::vector<Traces> all;
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const double time = (ends[i] - starts[i].time) * share;
        const double start = clock.global(starts[i].time);
        all.push_back({{time, -time, start, -start, clock.global(ends[i]), starts[i].hearing},
                       {time, starts[i].late ? 1.0 : 0.0}});
    }
    join(all, team_.own);
    std::vector<Sample> samples;
    for (int repetition = first; const auto& [most, sum] : all)
        samples.push_back({.slowest = most[0],
                           .fastest = -most[1],
                           .mean = sum[0] / team_.machine.size,
                           .skew = most[2] + most[3],
                           .last = most[4] - most[2],
                           .planned_skew = start_.planned_skew(repetition++),
                           .late = static_cast<int>(sum[1]),
                           .hearing = most[5]});
    return samples;
}

}  // namespace laneway::bench
