// SPDX-License-Identifier: BSD-3-Clause
#include "bench/timing/turns.hpp"

#include <algorithm>
#include <limits>
#include <random>

#include "bench/job/clock.hpp"
#include "bench/job/ranks.hpp"
#include "bench/timing/looks.hpp"

namespace laneway::bench {
namespace {

constexpr int rounds_at_least = 5;      // Rounds that the size of a block leaves time for.
constexpr int block_at_most = 10;       // Repetitions in a block.
constexpr int warm_up_at_most = 3;      // Repetitions to warm up, of each contestant.
constexpr double warm_up_share = 0.05;  // The share of the time for all contestants' warm-up.
constexpr double least = 1e-9;          // Seconds: a clock may show nothing at all.
constexpr int rounds_of_grace = 3;      // Rounds before a contestant may be dropped.
constexpr double hopeless = 3.0;        // A contestant so many times slower than the best may go.

/// Repetitions in a block, so that all contestants get several blocks within the time. `once` is the time of one
/// repetition of all contestants, in seconds.
int block_size(double once, const Budget& budget)
{
    const double fit = budget.seconds / (rounds_at_least * std::max(once, least));
    return static_cast<int>(
        std::clamp(fit, 1.0, static_cast<double>(std::min(block_at_most, budget.repetitions))));
}

/// A contestant that is still running, and its times so far.
struct Running {
    Contestant* contestant;
    std::vector<double> times;
};

class Turns {
public:
    Turns(const std::vector<std::unique_ptr<Contestant>>& contestants, const Budget& budget,
          unsigned seed, MPI_Comm comm)
        : budget_(budget),
          generator_(seed),
          comm_(comm),
          looks_(budget.repetitions, budget.confidence),
          block_(block_size(once(contestants), budget))
    {
        for (const auto& each : contestants) running_.push_back({each.get(), {}});
    }

    void take(const std::function<void(double)>& progress)
    {
        const double start = now();
        std::optional<Stop> stop;
        for (int round = 0; !stop; ++round) {
            take_one_each();
            if (round >= rounds_of_grace) drop_hopeless();
            // The clocks of ranks differ: the ranks end together by agreement.
            const double spent = largest({now() - start}, comm_).front();
            stop = enough(spent);
            if (!stop)
                progress(std::max(spent / budget_.seconds,
                                  static_cast<double>(done_) / budget_.repetitions));
        }
        for (const Running& each : running_) finish(each, *stop);
    }

private:
    static double once(const std::vector<std::unique_ptr<Contestant>>& contestants)
    {
        double sum = 0;
        for (const auto& each : contestants) sum += each->once();
        return sum;
    }

    void take_one_each()
    {
        const int repetitions = std::min(block_, budget_.repetitions - done_);
        std::ranges::shuffle(running_, generator_);
        for (Running& each : running_)
            for (const double time : each.contestant->repeat(done_, repetitions))
                each.times.push_back(time);
        done_ += repetitions;
    }

    /// The reason why there are enough repetitions, if there are. Alike on all ranks, as is all that decides it.
    std::optional<Stop> enough(double spent)
    {
        if (done_ >= budget_.repetitions) return Stop::repetitions;
        if (budget_.precision > 0 && looks_.due(done_) &&
            std::ranges::all_of(running_, [&](const Running& each) { return precise(each); }))
            return Stop::precision;
        return spent >= budget_.seconds ? std::optional(Stop::time) : std::nullopt;
    }

    bool precise(const Running& of) const
    {
        const auto interval = median_interval(of.times, confidence());
        return interval &&
               (interval->high - interval->low) / 2 <= budget_.precision * median(of.times);
    }

    /// The confidence of intervals: more where a comparison may end by what they look like.
    double confidence() const
    {
        return budget_.precision > 0 ? looks_.confidence() : budget_.confidence;
    }

    /// Takes out the clearly slower contestants: those that are slower in three repetitions out of four.
    void drop_hopeless()
    {
        double best = std::numeric_limits<double>::infinity();
        for (const Running& each : running_) best = std::min(best, median(each.times));
        std::erase_if(running_, [&](const Running& each) {
            if (!each.contestant->may_be_dropped() || quantile(each.times, 0.25) <= hopeless * best)
                return false;
            finish(each, Stop::dropped);
            return true;
        });
    }

    void finish(const Running& of, Stop stop) const
    {
        of.contestant->finish({.repetitions = static_cast<int>(of.times.size()),
                               .median = median(of.times),
                               .interval = median_interval(of.times, confidence()),
                               .confidence = confidence(),
                               .stopped_by = stop});
    }

    const Budget& budget_;
    std::mt19937 generator_;
    MPI_Comm comm_;
    Looks looks_;
    int block_;
    int done_ = 0;
    std::vector<Running> running_;
};

}  // namespace

int most_warm_up(const Budget& budget) { return budget.warmup.value_or(warm_up_at_most); }

double warm_up(const Budget& budget, std::size_t contestants, double first,
               const std::function<double()>& repeat)
{
    const double fair = budget.seconds * warm_up_share / static_cast<double>(contestants);
    double once = first;
    double spent = first;
    for (int done = 1; done < most_warm_up(budget) && (budget.warmup || spent <= fair); ++done) {
        once = repeat();
        spent += once;
    }
    return once;
}

const char* name(Stop stop)
{
    switch (stop) {
    case Stop::repetitions:
        return "repetitions";
    case Stop::precision:
        return "precision";
    case Stop::time:
        return "time";
    case Stop::dropped:
        break;
    }
    return "dropped";
}

void take_turns(const std::vector<std::unique_ptr<Contestant>>& contestants, const Budget& budget,
                unsigned seed, MPI_Comm comm, const std::function<void(double)>& progress)
{
    if (!contestants.empty()) Turns(contestants, budget, seed, comm).take(progress);
}

}  // namespace laneway::bench
