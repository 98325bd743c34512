// SPDX-License-Identifier: BSD-3-Clause
#include "bench/tasks/probing.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "bench/job/clock.hpp"
#include "bench/operations/element_type.hpp"
#include "bench/probes/probe.hpp"
#include "bench/text/words.hpp"
#include "library/error.hpp"

namespace laneway::bench {
namespace {

/// A pattern on its way: how it is called and timed, and its rows.
class TimedPattern final : public Contestant {
public:
    TimedPattern(Row row, std::unique_ptr<Pattern> pattern, int inner, double once,
                 Session& session)
        : Contestant(once, /*may_be_dropped=*/false),
          row_(std::move(row)),
          pattern_(std::move(pattern)),
          inner_(inner),
          session_(session)
    {
    }

    std::vector<double> repeat(int first, int repetitions) override
    {
        const Counters::Reading before = session_.counters.read();
        const std::vector<double> times = timed(*pattern_, inner_, repetitions, session_.everyone);
        if (session_.sink.writes())
            for (const double time : times)
                session_.sink.write(
                    Row("probe").join(row_).add("repetition", first++).add("time_us", time * 1e6));
        if (session_.counters.readable()) write_traffic(repetitions, before);
        return times;
    }

    /// The times of the slowest rank whose time counts, in `repetitions` repetitions of `inner` exchanges, in
    /// seconds.
    static std::vector<double> timed(Pattern& pattern, int inner, int repetitions, const Team& team)
    {
        std::vector<double> times(static_cast<std::size_t>(repetitions));
        for (double& time : times) {
            team.barrier();
            const double start = now();
            for (int i = 0; i < inner; ++i) pattern.exchange();
            time = pattern.counts() ? now() - start : 0;
        }
        return largest(std::move(times), team.own);
    }

private:
    void write_traffic(int repetitions, const Counters::Reading& before)
    {
        const Counters& counters = session_.counters;
        Counters::Reading grown;
        add_growth(grown, before, counters.read());
        std::vector<std::int64_t> sent(counters.devices().size());
        for (const auto& node : counters.gather(grown, session_.everyone.own).sent)
            std::ranges::transform(sent, node, sent.begin(), std::plus{});
        session_.sink.write(Row("traffic")
                                .join(row_)
                                .add("repetitions", repetitions)
                                .add("devices", counters.devices())
                                .add("tx_bytes", sent));
    }

    Row row_;  ///< The beginning of its rows, but for their kind.
    std::unique_ptr<Pattern> pattern_;
    int inner_;
    Session& session_;
};

Row begin(const Probe& probe, const ProbeCase& at, const Pattern& pattern, int inner,
          const Session& session)
{
    std::vector<std::int64_t> bytes = pattern.network_bytes();
    for (std::int64_t& each : bytes) each *= inner;
    Row row;
    row.add("run", session.options.run)
        .add("probe", probe.name)
        .add("collective", std::string_view(at.collective))
        .add("algorithm", "native")
        .add("count", at.count)
        .add("datatype", "int")
        .add("bytes", static_cast<std::int64_t>(at.count) * std::int64_t{sizeof(int)});
    return row.join(pattern.facts())
        .add("inner_repetitions", inner)
        .add("network_bytes", bytes)
        .join(placement(session.everyone.machine, session.options.binding));
}

/// Whether a pattern brings right data; an error row says that it doesn't.
bool verify(Pattern& pattern, const Row& row, Session& session)
{
    int wrong = !pattern.verify();
    check(MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, session.everyone.own));
    if (wrong == 0) return true;
    session.sink.write(
        Row("error").join(row).add("message", "the MPI library delivered wrong data"));
    session.wrong = true;
    return false;
}

/// Verifies and times the patterns of one case.
void probe_case(const Probe& probe, const ProbeCase& at, const Grid& grid, Session& session)
{
    const Options& options = session.options;
    const int inner =
        options.inner_repetitions > 0 ? options.inner_repetitions : probe.inner_repetitions;
    Budget budget = options.budget;
    budget.precision = 0;  // Probes are as long as they are told.

    std::vector<std::pair<Row, std::unique_ptr<Pattern>>> patterns;
    for (std::unique_ptr<Pattern>& pattern : probe.patterns(grid, at))
        patterns.emplace_back(begin(probe, at, *pattern, inner, session), std::move(pattern));
    std::erase_if(patterns,
                  [&](const auto& each) { return !verify(*each.second, each.first, session); });

    std::vector<std::unique_ptr<Contestant>> contestants;
    for (auto& [row, pattern] : patterns) {
        const auto repeat = [&, &tried = *pattern] {
            return TimedPattern::timed(tried, inner, 1, session.everyone).front();
        };
        const double once = warm_up(budget, patterns.size(), repeat(), repeat);
        contestants.push_back(std::make_unique<TimedPattern>(std::move(row), std::move(pattern),
                                                             inner, once, session));
    }
    take_turns(contestants, budget, options.seed + static_cast<unsigned>(options.run),
               session.everyone.own, session.progress);
}

/// Throws Misunderstood where the options don't go with the patterns on this grid.
void require(const Grid& grid, const Options& options)
{
    for (const int lanes : options.virtual_lanes)
        if (lanes > grid.node.size())
            throw Misunderstood("--virtual-lanes: " + std::to_string(lanes) + " of a node's " +
                                std::to_string(grid.node.size()) + " processes");
    if (!options.datatype.empty() && &element_type(options.datatype) != &element_type("int"))
        throw Misunderstood("--probe: its patterns know only --datatype int");
}

}  // namespace

void run_probe(Session& session)
{
    const Options& options = session.options;
    const Probe& chosen = probe(options.probe);
    std::vector<std::string> collectives = options.collectives;
    if (collectives.empty()) collectives.emplace_back(chosen.collective);
    if (!chosen.any_collective && collectives != std::vector<std::string>{chosen.collective})
        throw Misunderstood("--probe " + options.probe + " runs no --collective");

    const Team& team = session.everyone;
    const Grid grid(team);
    require(grid, options);

    const auto cases = static_cast<double>(collectives.size() * options.counts.size());
    const std::function<void(double)> progress = session.progress;
    double done = 0;
    for (const std::string& collective : collectives) {
        for (const Amount& amount : options.counts) {
            const auto count = amount.count(team.machine.size, sizeof(int));
            if (!count) throw Misunderstood("--probe: " + amount.text() + " is no number of ints");
            session.progress = [&](double share) { progress((done + share) / cases); };
            probe_case(chosen, {collective, *count, options.virtual_lanes}, grid, session);
            session.hand_over();
            session.progress(1);
            ++done;
        }
    }
    session.progress = progress;
}

}  // namespace laneway::bench
