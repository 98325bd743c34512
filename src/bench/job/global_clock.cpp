// SPDX-License-Identifier: BSD-3-Clause
#include "bench/job/global_clock.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "bench/job/clock.hpp"
#include "bench/job/ranks.hpp"
#include "library/error.hpp"

namespace laneway::bench {
namespace {

constexpr int exchanges = 20;       // Ping-pongs for an offset; the fastest one counts.
constexpr int points = 40;          // Offsets that a line is fitted through.
constexpr double apart = 0.01;      // Seconds from one of these offsets to the next.
constexpr double trusted_for = 10;  // Seconds; for longer, drift is not constant (Hunold 2018).
constexpr double rounding = 1e-7;   // Seconds that a clock's reading is rounded by.

/// Least squares: y = a + b (x - x[0]).
struct Line {
    double a;
    double b;
};

Line fit_line(const std::vector<double>& x, const std::vector<double>& y)
{
    double mean_x = 0;
    double mean_y = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        mean_x += (x[i] - x[0]) / static_cast<double>(x.size());
        mean_y += (y[i] - y[0]) / static_cast<double>(x.size());
    }
    double products = 0;
    double squares = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double dx = x[i] - x[0] - mean_x;
        products += dx * (y[i] - y[0] - mean_y);
        squares += dx * dx;
    }
    const double slope = squares > 0 ? products / squares : 0;
    return {y[0] + mean_y - slope * mean_x, slope};
}

}  // namespace

GlobalClock::GlobalClock(MPI_Comm comm) : comm_(comm)
{
    find_groups();
    fit();
}

GlobalClock::~GlobalClock()
{
    if (leaders_ != MPI_COMM_NULL) MPI_Comm_free(&leaders_);
    if (group_ != MPI_COMM_NULL) MPI_Comm_free(&group_);
}

double GlobalClock::local(double global) const
{
    return (global - offset_ + drift_ * origin_) / (1 + drift_);
}

/// One offset: the seconds to add to this clock for the teacher's global one.
double GlobalClock::exchange_as_pupil(int teacher, double& round_trip) const
{
    double offset = 0;
    round_trip = std::numeric_limits<double>::infinity();
    for (int i = 0; i < exchanges; ++i) {
        const double sent = now();
        double shown = 0;
        check(MPI_Send(nullptr, 0, MPI_BYTE, teacher, 0, comm_));
        check(MPI_Recv(&shown, 1, MPI_DOUBLE, teacher, 0, comm_, MPI_STATUS_IGNORE));
        const double received = now();
        if (received - sent >= round_trip) continue;
        round_trip = received - sent;
        offset = shown - (sent + received) / 2;
    }
    return offset;
}

void GlobalClock::teach(int pupil) const
{
    for (int i = 0; i < exchanges; ++i) {
        check(MPI_Recv(nullptr, 0, MPI_BYTE, pupil, 0, comm_, MPI_STATUS_IGNORE));
        const double shown = global(now());
        check(MPI_Send(&shown, 1, MPI_DOUBLE, pupil, 0, comm_));
    }
}

void GlobalClock::find_groups()
{
    const int rank = rank_in(comm_);
    MPI_Comm candidates = MPI_COMM_NULL;
    check(MPI_Comm_split(comm_, system_key(), rank, &candidates));
    const int place = rank_in(candidates);
    const int size = size_of(candidates);
    std::vector<int> ranks(static_cast<std::size_t>(size));
    check(MPI_Allgather(&rank, 1, MPI_INT, ranks.data(), 1, MPI_INT, candidates));

    // An offset found by a round trip is wrong by half of the round trip at most. Where it is larger, the clocks
    // differ, and this process is a group of its own.
    int first = ranks[0];
    for (int other = 1; other < size; ++other) {
        if (place == 0) teach(ranks[static_cast<std::size_t>(other)]);
        if (place != other) continue;
        double round_trip = 0;
        const double offset = exchange_as_pupil(ranks[0], round_trip);
        if (std::abs(offset) > round_trip / 2 + rounding) first = rank;
    }
    check(MPI_Comm_free(&candidates));

    check(MPI_Comm_split(comm_, first, rank, &group_));
    int lead = first == rank ? 1 : 0;
    check(MPI_Comm_split(comm_, lead != 0 ? 0 : MPI_UNDEFINED, rank, &leaders_));
    check(MPI_Allreduce(&lead, &groups_, 1, MPI_INT, MPI_SUM, comm_));
}

/// Measures the offset of this clock, the pupil's, at many moments, and fits a line through the offsets.
void GlobalClock::learn(int teacher)
{
    std::vector<double> times;
    std::vector<double> offsets;
    round_trip_ = std::numeric_limits<double>::infinity();
    const double start = now();
    for (int point = 0; point < points; ++point) {
        wait_until(start + point * apart);
        double round_trip = 0;
        offsets.push_back(exchange_as_pupil(teacher, round_trip));
        times.push_back(now());
        round_trip_ = std::min(round_trip_, round_trip);
    }
    const Line line = fit_line(times, offsets);
    origin_ = times[0];
    offset_ = line.a;
    drift_ = line.b;
}

void GlobalClock::fit()
{
    if (leaders_ != MPI_COMM_NULL) {
        const int place = rank_in(leaders_);
        const int size = size_of(leaders_);
        const int rank = rank_in(comm_);
        std::vector<int> ranks(static_cast<std::size_t>(size));
        check(MPI_Allgather(&rank, 1, MPI_INT, ranks.data(), 1, MPI_INT, leaders_));
        for (int known = 1; known < size; known *= 2) {
            const int other = place < known ? place + known : place - known;
            if (other >= size || place >= 2 * known) continue;
            const int rank_of_other = ranks[static_cast<std::size_t>(other)];
            if (place >= known)
                learn(rank_of_other);
            else
                for (int point = 0; point < points; ++point) teach(rank_of_other);
        }
    }
    std::array<double, 4> model = {offset_, drift_, origin_, round_trip_};
    check(MPI_Bcast(model.data(), static_cast<int>(model.size()), MPI_DOUBLE, 0, group_));
    offset_ = model[0];
    drift_ = model[1];
    origin_ = model[2];
    round_trip_ = model[3];
    fitted_ = now();
}

void GlobalClock::refresh()
{
    if (groups_ == 1) return;
    int old = now() - fitted_ > trusted_for ? 1 : 0;
    check(MPI_Bcast(&old, 1, MPI_INT, 0, comm_));
    if (old != 0) fit();
}

Row GlobalClock::row(int run) const
{
    const int rank = rank_in(comm_);
    const int size = size_of(comm_);
    const std::array<double, 3> own = {(global(fitted_) - fitted_) * 1e6, drift_ * 1e6,
                                       round_trip_ * 1e6};
    std::vector<double> all(rank == 0 ? 3 * static_cast<std::size_t>(size) : 0);
    check(MPI_Gather(own.data(), 3, MPI_DOUBLE, all.data(), 3, MPI_DOUBLE, 0, comm_));
    std::vector<double> offsets;
    std::vector<double> drifts;
    std::vector<double> round_trips;
    for (std::size_t i = 0; i < all.size(); i += 3) {
        offsets.push_back(all[i]);
        drifts.push_back(all[i + 1]);
        round_trips.push_back(all[i + 2]);
    }
    return Row("clock")
        .add("run", run)
        .add("clocks", groups_)
        .add("offset_us", offsets)
        .add("drift_ppm", drifts)
        .add("rtt_us", round_trips);
}

}  // namespace laneway::bench
