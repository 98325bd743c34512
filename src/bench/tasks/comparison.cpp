// SPDX-License-Identifier: BSD-3-Clause
#include "bench/tasks/comparison.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "bench/job/clock.hpp"
#include "bench/job/ranks.hpp"
#include "bench/tasks/case_rows.hpp"
#include "bench/tasks/harness.hpp"
#include "bench/timing/statistics.hpp"
#include "library/error.hpp"

namespace laneway::bench {
namespace {

/// A case under way: the objects that all of its candidates have to do with.
struct Context {
    const Case& measured;
    const Options& options;
    const Team& team;
    Session& session;
    CaseRows rows;
    Harness harness;
    Row crossing = {};  ///< The keys in rows of times about data that must go from node to node.

    /// The time that a repetition really took, where `reported` is that of one of its calls, or a share of it.
    double whole(double reported) const
    {
        return reported / measured.operation.share * std::max(1, options.inner_repetitions);
    }

    /// Makes one repetition that does not count; returns the seconds that it took.
    double untimed(const Candidate& candidate)
    {
        Tally uncounted;
        return whole(harness.repeat(candidate, 0, 1, uncounted).front().slowest);
    }
};

/// A candidate that is right and really serves the call.
class TimedCandidate final : public Contestant {
public:
    TimedCandidate(const Candidate& candidate, std::string served_by, double once, Context& context)
        // The candidate may be dropped unless it is native, which all are compared with.
        : Contestant(once, !candidate.is_reference()),
          candidate_(candidate),
          served_by_(std::move(served_by)),
          context_(context)
    {
    }

    std::vector<double> repeat(int first, int repetitions) override
    {
        const std::vector<Sample> samples =
            context_.harness.repeat(candidate_, first, repetitions, tally_);
        std::vector<double> times;
        for (const Sample& sample : samples) {
            times.push_back(sample.slowest);
            late_ += sample.late > 0 ? 1 : 0;
            context_.session.timed += context_.whole(sample.slowest);
        }
        context_.session.samples += repetitions;
        if (context_.session.sink.writes()) write(samples, first);
        return times;
    }

    void finish(const Result& result) override
    {
        if (result.stopped_by == Stop::dropped)
            context_.rows.note(candidate_.label, "dropped: more than 3 times slower than the best");
        write_averages(result);
        if (context_.measured.operation.nonblocking && result.stopped_by != Stop::dropped)
            write_overlap(result.median);
        if (context_.session.counters.readable()) write_carried(result.repetitions);
    }

private:
    void write(const std::vector<Sample>& samples, int number)
    {
        Row begin = context_.rows.full("sample", candidate_);
        begin.add("served_by", served_by_).join(context_.crossing);
        for (const Sample& sample : samples) {
            Row row = begin;
            row.add("repetition", number++)
                .add("time_us", sample.slowest * 1e6)
                .add("mean_us", sample.mean * 1e6)
                .add("fastest_us", sample.fastest * 1e6)
                .add("skew_us", sample.skew * 1e6)
                .add("planned_skew_us", sample.planned_skew * 1e6)
                .add("last_us", sample.last * 1e6)
                .add_if("late", by_clock(), sample.late);
            context_.session.sink.write(row);
        }
    }

    /// Writes the bytes that the nodes' devices carried.
    void write_carried(int repetitions)
    {
        const Counters& counters = context_.session.counters;
        const Traffic traffic = counters.gather(tally_.carried, context_.team.own);
        context_.session.sink.write(context_.rows.full("carried", candidate_)
                                        .add("repetitions", repetitions)
                                        .add("devices", counters.devices())
                                        .add("tx_bytes", traffic.sent)
                                        .add("rx_bytes", traffic.received));
    }

    /// Writes the numbers that OSU's and IMB's benchmarks print: minimum, mean and maximum over ranks of each rank's
    /// mean time. Also writes the median of the slowest rank's times with its interval.
    void write_averages(const Result& result)
    {
        const double mean = tally_.seconds / result.repetitions;
        double sum = mean;
        check(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, context_.team.own));
        const std::vector<double> extremes = largest({mean, -mean}, context_.team.own);
        const auto& interval = result.interval;
        Row row = context_.rows.full("averages", candidate_);
        row.add("repetitions", result.repetitions)
            .add("avg_us", sum / context_.team.machine.size * 1e6)
            .add("min_us", -extremes[1] * 1e6)
            .add("max_us", extremes[0] * 1e6)
            .add("median_us", result.median * 1e6)
            .add_if("low_us", interval.has_value(), interval ? interval->low * 1e6 : 0)
            .add_if("high_us", interval.has_value(), interval ? interval->high * 1e6 : 0)
            .add("confidence", result.confidence)
            .add_if("late", by_clock(), late_)
            .add("stopped_by", name(result.stopped_by));
        context_.session.sink.write(row);
    }

    /// Writes how much of a nonblocking call goes on while the caller computes for as long as the call takes alone.
    /// It is the overlap of Intel's IMB-NBC ("Intel MPI Benchmarks User Guide", IMB-NBC: overlap).
    void write_overlap(double pure)
    {
        constexpr int repetitions = 5;
        context_.harness.meanwhile([&] {
            const double began = now();
            while (now() - began < pure) {
            }
        });
        Tally uncounted;
        const std::vector<Sample> samples =
            context_.harness.repeat(candidate_, 0, repetitions, uncounted);
        context_.harness.meanwhile({});
        std::vector<double> times;
        for (const Sample& sample : samples) times.push_back(sample.slowest);
        const double whole = median(std::move(times));
        context_.session.sink.write(context_.rows.full("overlap", candidate_)
                                        .add("repetitions", repetitions)
                                        .add("pure_us", pure * 1e6)
                                        .add("whole_us", whole * 1e6)
                                        .add("overlap", std::clamp(2 - whole / pure, 0.0, 1.0)));
    }

    bool by_clock() const { return context_.options.sync == Sync::clock; }

    const Candidate& candidate_;
    std::string served_by_;
    Context& context_;
    Tally tally_;   ///< The calling rank's tally.
    int late_ = 0;  ///< How often some rank missed a start.
};

Row crossing_of(const Harness& harness)
{
    Row row;
    if (const std::optional<Crossing> found = harness.crossed())
        row.add("longest", static_cast<std::int64_t>(found->longest))
            .add("crossing", Row()
                                 .add("bytes", found->bytes)
                                 .add("peers", found->peers)
                                 .add("mutual", found->mutual));
    return row;
}

/// Whether the case can be measured at all; otherwise a note says why it can't.
bool fits(const Context& context)
{
    if (!context.harness.countable()) {
        context.rows.note("all", "left out: the blocks of all ranks are more than MPI can count");
        return false;
    }
    const double needed = context.harness.memory();
    if (needed <= context.options.memory) return true;
    std::array<char, 128> text{};
    std::snprintf(text.data(), text.size(),
                  "left out: needs %.3g GB of buffers a process, --mem allows %.3g", needed / 1e9,
                  context.options.memory / 1e9);
    context.rows.note("all", text.data());
    return false;
}

/// Whether `candidate` gives the right result, from every root that will be used; otherwise an error
/// row says where it does not.
bool verify(Context& context, const Candidate& candidate)
{
    Harness& harness = context.harness;
    for (int i = 0; i < harness.roots(); ++i) {
        const auto fault = harness.verify(candidate, harness.root(i));
        if (!fault) continue;
        context.rows.say("error", candidate.label,
                         "wrong result on rank " + std::to_string(fault->rank) + " from element " +
                             std::to_string(fault->element) + " on (root " +
                             std::to_string(harness.root(i)) + ")");
        context.session.wrong = true;
        return false;
    }
    return true;
}

/// The candidates worth timing, warmed up: they are right and really serve the call.
std::vector<std::unique_ptr<Contestant>> admitted(Context& context)
{
    std::vector<std::unique_ptr<Contestant>> contestants;
    const std::vector<Candidate>& candidates = context.measured.candidates;
    for (const Candidate& candidate : candidates) {
        if (!candidate.forced.empty()) {
            if (const auto refusal = context.harness.refusal(candidate)) {
                context.rows.note(candidate.label, "not eligible: " + *refusal);
                continue;
            }
        }
        if (context.options.verify && !verify(context, candidate)) continue;
        const auto repeat = [&] { return context.untimed(candidate); };
        const double first = repeat();  // This shows what serves the call, too.
        const std::string served_by = context.harness.served_by();
        const std::string name = registered_name(candidate.algorithm);
        if (served_by != name && name != tuned) {
            context.rows.note(candidate.label, "not eligible: served by " + served_by);
            continue;
        }
        const double once = warm_up(context.options.budget, candidates.size(), first, repeat);
        contestants.push_back(
            std::make_unique<TimedCandidate>(candidate, served_by, once, context));
    }
    return contestants;
}

}  // namespace

void compare(const Case& of, const Options& options, const Team& team, unsigned seed,
             Session& session)
{
    const CaseRows rows(of, options, team, session.sink);
    if (!of.remark.empty()) rows.note("all", of.remark);
    if (of.count < 0) return rows.note("all", "left out: MPI has no count for " + of.amount.text());
    Context context{.measured = of,
                    .options = options,
                    .team = team,
                    .session = session,
                    .rows = rows,
                    .harness = {of, options, team, seed, session}};
    if (!fits(context)) return;
    if (session.sink.writes()) context.crossing = crossing_of(context.harness);
    context.harness.prepare();
    const auto contestants = admitted(context);
    const double start = now();
    take_turns(contestants, options.budget, seed, team.own, session.progress);
    session.repeating += now() - start;
    context.harness.finish();
}

}  // namespace laneway::bench
