// SPDX-License-Identifier: BSD-3-Clause
#include "bench/probe.hpp"

#include <algorithm>
#include <functional>
#include <random>
#include <string_view>

#include "bench/clock.hpp"
#include "bench/race.hpp"
#include "bench/types.hpp"
#include "core/settings.hpp"
#include "mpi/comm.hpp"
#include "mpi/error.hpp"

namespace laneway::bench {
namespace {

std::vector<Probe>& registered()
{
    static std::vector<Probe> all;
    return all;
}

bool by_name(const Probe& a, const Probe& b) { return std::string_view(a.name) < b.name; }

const Probe& find(const std::string& name)
{
    std::string known;
    for (const Probe& probe : registered()) {
        if (name == probe.name) return probe;
        known += std::string(known.empty() ? "" : ", ") + probe.name;
    }
    throw UsageError("unknown probe '" + name + "'; known: " + known);
}

/// Throws UsageError where the probes' patterns are not defined.
void require(const Decomposition& nodes, const Options& options)
{
    if (nodes.nodes() < 2)
        throw UsageError(
            "--probe: all ranks are on one node; LANEWAY_NODE_SIZE makes virtual ones");
    if (!nodes.regular() || !nodes.consecutive())
        throw UsageError("--probe: nodes must have equally many processes, ranked consecutively");
    for (const int lanes : options.virtual_lanes)
        if (lanes > nodes.node.size())
            throw UsageError("--virtual-lanes: " + std::to_string(lanes) + " of a node's " +
                             std::to_string(nodes.node.size()) + " processes");
    if (!options.datatype.empty() && &datatype(options.datatype) != &datatype("int"))
        throw UsageError("--probe: its patterns know only --datatype int");
}

/// The case's patterns on their way: how they are called and timed, and their rows.
class Race {
public:
    Race(const Probe& probe, const ProbeCase& at, const Decomposition& nodes, Session& session)
        : session_(session),
          generator_(session.options.seed + static_cast<unsigned>(session.options.run)),
          inner_(session.options.inner_repetitions > 0 ? session.options.inner_repetitions
                                                       : probe.inner_repetitions)
    {
        for (std::unique_ptr<Pattern>& pattern : probe.patterns(nodes, at))
            contestants_.push_back({begin(probe, at, *pattern), std::move(pattern), 0});
    }

    /// Drops the patterns that bring wrong data, each with an error row.
    void verify()
    {
        std::erase_if(contestants_, [this](Contestant& each) {
            int wrong = !each.pattern->verify();
            check(MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, own()));
            if (wrong == 0) return false;
            session_.sink.write(
                Row("error").join(each.row).add("message", "the MPI library delivered wrong data"));
            session_.wrong = true;
            return true;
        });
    }

    /// Everyone's repetitions, in blocks and shuffled order, until there are enough or time is up.
    void run()
    {
        const Options& options = session_.options;
        const int block = block_size(warm_up(), options.seconds, options.repetitions);
        const double start = now();
        double share = contestants_.empty() ? 1 : 0;
        for (int done = 0; share < 1; done += block) {
            const int repetitions = std::min(block, options.repetitions - done);
            std::ranges::shuffle(contestants_, generator_);
            for (Contestant& each : contestants_) run_block(each, repetitions);
            const double spent = largest({now() - start}, own()).front();
            share = std::max(spent / options.seconds,
                             static_cast<double>(done + repetitions) / options.repetitions);
            if (share < 1) session_.progress(share);
        }
    }

private:
    struct Contestant {
        Row row;  ///< The beginning of its rows, but for their kind.
        std::unique_ptr<Pattern> pattern;
        int done = 0;  ///< Repetitions so far.
    };

    Row begin(const Probe& probe, const ProbeCase& at, const Pattern& pattern) const
    {
        std::vector<std::int64_t> bytes = pattern.network_bytes();
        for (std::int64_t& each : bytes) each *= inner_;
        Row row;
        row.add("run", session_.options.run)
            .add("probe", probe.name)
            .add("collective", std::string_view(at.collective))
            .add("algorithm", "native")
            .add("count", at.count)
            .add("datatype", "int")
            .add("bytes", static_cast<std::int64_t>(at.count) * std::int64_t{sizeof(int)});
        return row.join(pattern.facts())
            .add("inner_repetitions", inner_)
            .add("network_bytes", bytes)
            .join(placement(session_.everyone.machine, session_.options.binding));
    }

    /// The times of the slowest rank in `repetitions` repetitions, in seconds.
    std::vector<double> repeat(Pattern& pattern, int repetitions)
    {
        std::vector<double> times(static_cast<std::size_t>(repetitions));
        for (double& time : times) {
            session_.everyone.barrier();
            const double start = now();
            for (int i = 0; i < inner_; ++i) pattern.exchange();
            time = now() - start;
        }
        return largest(std::move(times), own());
    }

    /// Warms up, as long as that takes a small part of the time, and the time of one repetition of
    /// everyone's, in seconds.
    double warm_up()
    {
        double once = 0;
        for (const Contestant& each : contestants_) {
            double time = repeat(*each.pattern, 1).front();
            double spent = time;
            for (int i = 1; still_cold(session_.options, contestants_.size(), i, spent); ++i) {
                time = repeat(*each.pattern, 1).front();
                spent += time;
            }
            once += time;
        }
        return once;
    }

    void run_block(Contestant& each, int repetitions)
    {
        const Counters::Reading before = session_.counters.read();
        const std::vector<double> times = repeat(*each.pattern, repetitions);
        for (const double time : times)
            session_.sink.write(Row("probe")
                                    .join(each.row)
                                    .add("repetition", each.done++)
                                    .add("time_us", time * 1e6));
        if (session_.counters.readable()) write_traffic(each, repetitions, before);
    }

    void write_traffic(const Contestant& of, int repetitions, const Counters::Reading& before)
    {
        const Counters& counters = session_.counters;
        Counters::Reading grown;
        add_growth(grown, before, counters.read());
        std::vector<std::int64_t> sent(counters.devices().size());
        for (const auto& node : counters.gather(grown, own()).sent)
            std::ranges::transform(sent, node, sent.begin(), std::plus{});
        session_.sink.write(Row("traffic")
                                .join(of.row)
                                .add("repetitions", repetitions)
                                .add("devices", counters.devices())
                                .add("tx_bytes", sent));
    }

    MPI_Comm own() const { return session_.everyone.own; }

    Session& session_;
    std::mt19937 generator_;  ///< In the same state on all ranks.
    int inner_;
    std::vector<Contestant> contestants_;
};

}  // namespace

const std::vector<Probe>& probes() { return registered(); }

ProbeRegistration::ProbeRegistration(const Probe& probe)
{
    registered().insert(std::ranges::upper_bound(registered(), probe, by_name), probe);
}

void run_probe(Session& session)
{
    const Options& options = session.options;
    const Probe& probe = find(options.probe);
    std::vector<std::string> collectives = options.collectives;
    if (collectives.empty()) collectives.emplace_back(probe.collective);
    if (!probe.any_collective && collectives != std::vector<std::string>{probe.collective})
        throw UsageError("--probe " + options.probe + " runs no --collective");

    const Team& team = session.everyone;
    const Comm world = Comm::split(team.own, 0, team.machine.rank);
    const auto settings = Settings::own();
    const Decomposition nodes(world, find_nodes(world.handle(), world.size(), *settings),
                              Scope::component, settings);
    require(nodes, options);

    const auto cases = static_cast<double>(collectives.size() * options.counts.size());
    const std::function<void(double)> progress = session.progress;
    double done = 0;
    for (const std::string& collective : collectives) {
        for (const Amount& amount : options.counts) {
            const auto count = amount.count(team.machine.size, sizeof(int));
            if (!count) throw UsageError("--probe: " + amount.text() + " is no number of ints");
            session.progress = [&](double share) { progress((done + share) / cases); };
            Race race(probe, {collective, *count, options.virtual_lanes}, nodes, session);
            race.verify();
            race.run();
            hand_over(session);
            session.progress(1);
            ++done;
        }
    }
    session.progress = progress;
}

}  // namespace laneway::bench
