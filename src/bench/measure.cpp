// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure.hpp"

#include <laneway.h>

#include <algorithm>
#include <limits>

#include "bench/barrier.hpp"
#include "bench/statistics.hpp"
#include "mpi/error.hpp"

namespace laneway::bench {
namespace {

constexpr int rounds_at_least = 5;  // What the block size leaves time for,
constexpr int block_at_most = 10;   // in repetitions.
constexpr int rounds_of_grace = 3;  // Before an algorithm may be dropped,
constexpr double hopeless = 3.0;    // being so many times slower than the best.

/// An algorithm in the race.
struct Contestant {
    std::string algorithm;
    Row row;                    ///< The beginning of its rows.
    std::vector<double> times;  ///< Of its repetitions so far, in seconds.
};

/// One case on its way: its memory, and how its repetitions are called and timed.
class Course {
public:
    Course(const Case& of, Session& session)
        : case_(of),
          session_(session),
          type_(datatype(session.options.datatype)),
          problem_{MPI_COMM_WORLD, session.machine.rank,  session.machine.size, of.count,
                   type_,          op(session.options.op)},
          memory_{std::vector<std::byte>(of.operation.input(problem_) * type_.size),
                  std::vector<std::byte>(of.operation.output(problem_) * type_.size)}
    {
    }

    int roots() const
    {
        return case_.operation.rooted && !session_.options.root ? problem_.size : 1;
    }

    int root(int repetition) const
    {
        return session_.options.root.value_or(repetition % problem_.size);
    }

    /// The result of one call on fresh memory.
    std::vector<std::byte> result(const std::string& algorithm, int root)
    {
        std::ranges::fill(memory_.output, std::byte{0xa5});
        case_.operation.fill(problem_, root, memory_);
        check(case_.operation.call(problem_, algorithm.c_str(), root, memory_));
        return memory_.output;
    }

    /// The times of the slowest rank in `repetitions` calls, counted from `first`, in seconds; the
    /// same on all ranks.
    std::vector<double> repeat(const std::string& algorithm, int first, int repetitions)
    {
        std::vector<double> times(static_cast<std::size_t>(repetitions));
        for (int i = 0; i < repetitions; ++i) {
            const int root = this->root(first + i);
            barrier(session_.own);
            const double start = MPI_Wtime();
            check(case_.operation.call(problem_, algorithm.c_str(), root, memory_));
            times[static_cast<std::size_t>(i)] = MPI_Wtime() - start;
        }
        return slowest(std::move(times));
    }

    /// The largest of all ranks' values, element by element.
    std::vector<double> slowest(std::vector<double> values) const
    {
        check(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()),
                            MPI_DOUBLE, MPI_MAX, session_.own));
        return values;
    }

    /// The lowest rank that found something wrong, the number of ranks where none did.
    int lowest(bool wrong) const
    {
        int rank = wrong ? problem_.rank : problem_.size;
        check(MPI_Allreduce(MPI_IN_PLACE, &rank, 1, MPI_INT, MPI_MIN, session_.own));
        return rank;
    }

    /// The beginning of a row of `kind` about `algorithm`.
    Row row(std::string_view kind, const std::string& algorithm) const
    {
        return Row(kind)
            .add("run", session_.options.run)
            .add("collective", case_.operation.collective)
            .add("algorithm", algorithm)
            .add("count", case_.count)
            .add("datatype", type_.name)
            .add("bytes",
                 static_cast<std::int64_t>(case_.count) * static_cast<std::int64_t>(type_.size));
    }

    void say(std::string_view kind, const std::string& algorithm, const std::string& message)
    {
        session_.sink.write(row(kind, algorithm).add("message", std::string_view(message)));
        session_.sink.flush();
    }

    /// Whether `algorithm` gives the native result, from every root that will be used; otherwise an
    /// error row says where it does not.
    bool verify(const std::string& algorithm)
    {
        for (int i = 0; i < roots(); ++i) {
            const std::vector<std::byte> expected = result("native", root(i));
            const std::vector<std::byte> found = result(algorithm, root(i));
            const auto wrong = std::ranges::mismatch(expected, found).in1;
            const int rank = lowest(wrong != expected.end());
            if (rank == problem_.size) continue;
            std::int64_t element =
                (wrong - expected.begin()) / static_cast<std::int64_t>(type_.size);
            check(MPI_Bcast(&element, 1, MPI_INT64_T, rank, session_.own));
            say("error", algorithm,
                "wrong result on rank " + std::to_string(rank) + " from element " +
                    std::to_string(element) + " on (root " + std::to_string(root(i)) + ")");
            session_.wrong = true;
            return false;
        }
        return true;
    }

    /// The algorithms worth timing: those that are right and really serve the call.
    std::vector<Contestant> contestants()
    {
        std::vector<Contestant> admitted;
        for (const std::string& algorithm : case_.algorithms) {
            if (!verify(algorithm)) continue;
            const std::string served_by = laneway_served_by(MPI_COMM_WORLD);
            if (served_by != algorithm) {
                say("note", algorithm, "not eligible: served by " + served_by);
                continue;
            }
            Row begin = row("sample", algorithm).add("served_by", std::string_view(served_by));
            begin.join(placement(session_.machine, session_.options.binding));
            admitted.push_back({algorithm, std::move(begin), {}});
        }
        return admitted;
    }

    /// Warms up and finds the number of repetitions in a block, so that every contestant gets
    /// several blocks within the time.
    int block_size(const std::vector<Contestant>& contestants)
    {
        double once = 0;  // One repetition of everyone's.
        for (const Contestant& each : contestants)
            once += repeat(each.algorithm, 0, std::max(1, session_.options.warmup)).back();
        const double fit = session_.options.seconds / (rounds_at_least * std::max(once, 1e-9));
        const int most = std::min(block_at_most, session_.options.repetitions);
        return static_cast<int>(std::clamp(fit, 1.0, static_cast<double>(most)));
    }

    /// One block of `contestant`, and its rows.
    void run_block(Contestant& contestant, int repetitions)
    {
        const int first = static_cast<int>(contestant.times.size());
        const std::vector<double> times = repeat(contestant.algorithm, first, repetitions);
        for (int i = 0; i < repetitions; ++i) {
            const double time = times[static_cast<std::size_t>(i)];
            session_.sink.write(
                Row(contestant.row).add("repetition", first + i).add("time_us", time * 1e6));
        }
        session_.sink.flush();
        contestant.times.insert(contestant.times.end(), times.begin(), times.end());
    }

    /// Takes the clearly slower ones out of the race: those that are slower in three repetitions out
    /// of four. Never native, which all are compared with.
    void drop_hopeless(std::vector<Contestant>& contestants)
    {
        double best = std::numeric_limits<double>::infinity();
        for (const Contestant& each : contestants) best = std::min(best, median(each.times));
        std::erase_if(contestants, [&](const Contestant& each) {
            if (each.algorithm == "native" || quantile(each.times, 0.25) <= hopeless * best)
                return false;
            say("note", each.algorithm, "dropped: more than 3 times slower than the best");
            return true;
        });
    }

private:
    const Case& case_;
    Session& session_;
    const Datatype& type_;
    Problem problem_;
    Memory memory_;
};

}  // namespace

void measure(const Case& of, Session& session)
{
    Course course(of, session);
    std::vector<Contestant> contestants = course.contestants();
    if (contestants.empty()) return;

    const Options& options = session.options;
    const int block = course.block_size(contestants);
    const double start = MPI_Wtime();
    int done = 0;
    double share = 0;
    for (int round = 0; done < options.repetitions && share < 1; ++round) {
        const int repetitions = std::min(block, options.repetitions - done);
        std::ranges::shuffle(contestants, session.generator);
        for (Contestant& each : contestants) course.run_block(each, repetitions);
        if (round >= rounds_of_grace) course.drop_hopeless(contestants);
        done += repetitions;
        // The clocks of ranks differ: they end together by agreement.
        const double spent = course.slowest({MPI_Wtime() - start}).front();
        share = std::max(spent / options.seconds, static_cast<double>(done) / options.repetitions);
        session.progress(std::min(share, 1.0));
    }
}

}  // namespace laneway::bench
