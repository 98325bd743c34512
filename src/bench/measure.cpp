// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <random>

#include "bench/case_rows.hpp"
#include "bench/course.hpp"
#include "bench/looks.hpp"
#include "bench/race.hpp"
#include "bench/statistics.hpp"
#include "mpi/error.hpp"

namespace laneway::bench {
namespace {

constexpr int rounds_of_grace = 3;  // Before an algorithm may be dropped,
constexpr double hopeless = 3.0;    // being so many times slower than the best.

/// An algorithm in the race.
struct Contestant {
    Choice choice;
    std::string served_by;
    std::vector<double> times;  ///< Of the slowest rank in its repetitions so far, in seconds.
    double once = 0;            ///< Of the slowest rank when it had warmed up.
    Tally tally = {};           ///< Of the calling rank.
    int late = 0;               ///< How often some rank missed a start.
};

/// A case being measured.
class Race {
public:
    Race(const Case& of, const Options& options, const Team& team, Session& session)
        : case_(of),
          options_(options),
          team_(team),
          session_(session),
          rows_(of, options, team, session.sink),
          looks_(options.repetitions, options.confidence)
    {
    }

    void run(unsigned seed)
    {
        if (!case_.remark.empty()) rows_.note("all", case_.remark);
        if (case_.count < 0) {
            rows_.note("all", "left out: MPI has no count for " + case_.amount.text());
            return;
        }
        Course course(case_, options_, team_, seed, session_);
        if (!fits(course)) return;
        course.prepare();
        admit(course);
        if (!contestants_.empty()) take_turns(course, seed);
    }

private:
    bool fits(const Course& course)
    {
        if (!course.countable()) {
            rows_.note("all", "left out: the blocks of all ranks are more than MPI can count");
            return false;
        }
        const double needed = course.memory();
        if (needed <= options_.memory) return true;
        std::array<char, 128> text{};
        std::snprintf(text.data(), text.size(),
                      "left out: needs %.3g GB of buffers a process, --mem allows %.3g",
                      needed / 1e9, options_.memory / 1e9);
        rows_.note("all", text.data());
        return false;
    }

    /// Whether `choice` gives the right result, from every root that will be used; otherwise an
    /// error row says where it does not.
    bool verify(Course& course, const Choice& choice)
    {
        for (int i = 0; i < course.roots(); ++i) {
            const auto fault = course.verify(choice.algorithm, course.root(i));
            if (!fault) continue;
            rows_.say("error", choice.label,
                      "wrong result on rank " + std::to_string(fault->rank) + " from element " +
                          std::to_string(fault->element) + " on (root " +
                          std::to_string(course.root(i)) + ")");
            session_.wrong = true;
            return false;
        }
        return true;
    }

    /// Those worth timing: they are right and really serve the call.
    void admit(Course& course)
    {
        for (const Choice& choice : case_.choices) {
            if (options_.verify && !verify(course, choice)) continue;
            const double first = untimed(course, choice);  // Which shows what serves the call, too.
            const std::string served_by = course.served_by();
            if (served_by != choice.algorithm)
                rows_.note(choice.label, "not eligible: served by " + served_by);
            else
                contestants_.push_back({choice, served_by, {}, warm_up(course, choice, first)});
        }
    }

    /// Goes on warming up after a `first` repetition; the time of the last one, in seconds.
    double warm_up(Course& course, const Choice& choice, double first)
    {
        double once = first;
        double spent = first;
        for (int i = 1; still_cold(options_, case_.choices.size(), i, spent); ++i) {
            once = untimed(course, choice);
            spent += once;
        }
        return once;
    }

    /// One repetition that does not count: how long it took, in seconds.
    double untimed(Course& course, const Choice& choice) const
    {
        Tally uncounted;
        return whole(course.repeat(choice, 0, 1, uncounted).front().slowest);
    }

    /// How long a repetition really took whose time is reported for one of its calls, or a share.
    double whole(double reported) const
    {
        return reported / case_.operation.share * std::max(1, options_.inner_repetitions);
    }

    /// Blocks of repetitions, everyone's in shuffled order, until there are enough.
    void take_turns(Course& course, unsigned seed)
    {
        std::mt19937 generator(seed);
        double once = 0;
        for (const Contestant& each : contestants_) once += each.once;
        const int block = block_size(once, options_.seconds, options_.repetitions);
        const double start = now();
        int done = 0;
        const char* reason = nullptr;
        for (int round = 0; reason == nullptr; ++round) {
            const int repetitions = std::min(block, options_.repetitions - done);
            std::ranges::shuffle(contestants_, generator);
            for (Contestant& each : contestants_) run_block(course, each, repetitions);
            done += repetitions;
            if (round >= rounds_of_grace) drop_hopeless();
            // The clocks of ranks differ: they end together by agreement.
            const double spent = largest({now() - start}, team_.own).front();
            reason = finished(done, spent);
            const double share = static_cast<double>(done) / options_.repetitions;
            if (reason == nullptr) session_.progress(std::max(spent / options_.seconds, share));
        }
        session_.repeating += now() - start;
        for (const Contestant& each : contestants_) finish(each, reason);
    }

    /// Why there are enough repetitions; null where there are not. Alike on all ranks, as all that it
    /// is decided by.
    const char* finished(int done, double spent)
    {
        if (done >= options_.repetitions) return "repetitions";
        if (options_.precision > 0 && looks_.due(done) &&
            std::ranges::all_of(contestants_, [&](const Contestant& each) {
                const auto interval = this->interval(each);
                return interval && (interval->high - interval->low) / 2 <=
                                       options_.precision * median(each.times);
            }))
            return "precision";
        return spent >= options_.seconds ? "time" : nullptr;
    }

    /// Of intervals: more where the race may end by what they look like.
    double confidence() const
    {
        return options_.precision > 0 ? looks_.confidence() : options_.confidence;
    }

    /// Of the median of its times.
    std::optional<Interval> interval(const Contestant& of) const
    {
        return median_interval(of.times, confidence());
    }

    /// One block of `contestant`, and its rows.
    void run_block(Course& course, Contestant& contestant, int repetitions)
    {
        int number = static_cast<int>(contestant.times.size());
        const Row begin =
            rows_.full("sample", contestant.choice).add("served_by", contestant.served_by);
        for (const Sample& sample :
             course.repeat(contestant.choice, number, repetitions, contestant.tally)) {
            Row row = begin;
            row.add("repetition", number++)
                .add("time_us", sample.slowest * 1e6)
                .add("mean_us", sample.mean * 1e6)
                .add("fastest_us", sample.fastest * 1e6)
                .add("skew_us", sample.skew * 1e6)
                .add("planned_skew_us", sample.planned_skew * 1e6)
                .add("last_us", sample.last * 1e6);
            row.add_if("late", options_.sync == Sync::clock, sample.late);
            session_.sink.write(row);
            contestant.times.push_back(sample.slowest);
            contestant.late += sample.late > 0 ? 1 : 0;
            session_.timed += whole(sample.slowest);
        }
        session_.samples += repetitions;
    }

    /// Takes the clearly slower ones out of the race: those that are slower in three repetitions out
    /// of four. Never native, which all are compared with.
    void drop_hopeless()
    {
        double best = std::numeric_limits<double>::infinity();
        for (const Contestant& each : contestants_) best = std::min(best, median(each.times));
        std::erase_if(contestants_, [&](const Contestant& each) {
            if (each.choice.algorithm == "native" || quantile(each.times, 0.25) <= hopeless * best)
                return false;
            rows_.note(each.choice.label, "dropped: more than 3 times slower than the best");
            finish(each, "dropped");
            return true;
        });
    }

    /// The rows about all repetitions of a contestant.
    void finish(const Contestant& of, const char* reason)
    {
        write_averages(of, reason);
        if (session_.counters.readable()) write_carried(of);
    }

    /// What the nodes' devices carried.
    void write_carried(const Contestant& of)
    {
        const Counters& counters = session_.counters;
        const Traffic traffic = counters.gather(of.tally.carried, team_.own);
        session_.sink.write(rows_.full("carried", of.choice)
                                .add("repetitions", static_cast<std::int64_t>(of.times.size()))
                                .add("devices", counters.devices())
                                .add("tx_bytes", traffic.sent)
                                .add("rx_bytes", traffic.received));
    }

    /// What OSU's and IMB's benchmarks print: minimum, mean and maximum over ranks of each rank's
    /// mean time; and the median of the slowest rank's with its interval.
    void write_averages(const Contestant& of, const char* reason)
    {
        const double mean = of.tally.seconds / static_cast<double>(of.times.size());
        double sum = mean;
        check(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, team_.own));
        const std::vector<double> extremes = largest({mean, -mean}, team_.own);
        Row row = rows_.full("averages", of.choice);
        row.add("repetitions", static_cast<std::int64_t>(of.times.size()))
            .add("avg_us", sum / team_.machine.size * 1e6)
            .add("min_us", -extremes[1] * 1e6)
            .add("max_us", extremes[0] * 1e6)
            .add("median_us", median(of.times) * 1e6);
        const auto interval = this->interval(of);
        row.add_if("low_us", interval.has_value(), interval ? interval->low * 1e6 : 0);
        row.add_if("high_us", interval.has_value(), interval ? interval->high * 1e6 : 0);
        row.add("confidence", confidence());
        row.add_if("late", options_.sync == Sync::clock, of.late);
        row.add("stopped_by", reason);
        session_.sink.write(row);
    }

    const Case& case_;
    const Options& options_;
    const Team& team_;
    Session& session_;
    CaseRows rows_;
    std::vector<Contestant> contestants_;
    Looks looks_;
};

}  // namespace

void hand_over(Session& session)
{
    session.sink.flush();
    rest(session.everyone.own);
}

void measure(const Case& of, const Options& options, const Team& team, unsigned seed,
             Session& session)
{
    Race(of, options, team, session).run(seed);
}

}  // namespace laneway::bench
