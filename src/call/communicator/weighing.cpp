// SPDX-License-Identifier: BSD-3-Clause
#include "call/communicator/weighing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "choose/lane_weights.hpp"
#include "data/scratch.hpp"
#include "decomposition/components.hpp"
#include "library/error.hpp"
#include "library/real.hpp"
#include "messages/messages.hpp"
#include "text/text.hpp"

namespace laneway {
namespace {

/// A measurement comes after so many times its own bytes, and later on after more.
constexpr std::int64_t apart = 16;

constexpr double nanoseconds = 1e9;

/// A piece that goes by one lane that the calling process serves, to the next node, and one that comes from the node
/// before.
class Exchanged {
public:
    Exchanged(const Part& lane, std::int64_t bytes)
        : memory_(2 * bytes, MPI_BYTE),
          lane_(lane),
          comes_(lane_),
          goes_(lane_)
    {
        const Buffer all = memory_.buffer(), in = all.slice(0, bytes),
                     out = all.slice(bytes, bytes);
        std::memset(out.data, 0, static_cast<std::size_t>(bytes));
        const int size = lane_.size(), node = lane_.rank();
        comes_.receive(in, (node + size - 1) % size);
        goes_.send(out, (node + 1) % size);
    }
    void wait_for_what_comes() { comes_.wait(); }
    void wait_for_what_goes() { goes_.wait(); }

private:
    Scratch memory_;
    const Comm& lane_;
    Messages comes_, goes_;
};

/// The weights that the calling process knows of its node, by the communicator that has found it last.
class Known {
public:
    LaneWeights weights(std::size_t lanes) const
    {
        const std::scoped_lock lock(mutex_);
        return weights_.size() == lanes ? weights_ : LaneWeights();
    }
    void keep(LaneWeights weights)
    {
        const std::scoped_lock lock(mutex_);
        weights_ = std::move(weights);
    }

private:
    mutable std::mutex mutex_;
    LaneWeights weights_;  ///< on one scale with those of the other nodes there; empty: unknown
};

Known& known()
{
    static Known own;
    return own;
}

/// The names of all processes' nodes, at rank 0. Collective.
std::vector<std::string> names_of_nodes(const std::string& own, int ranks, int rank, MPI_Comm comm)
{
    constexpr std::size_t longest = 64;
    std::array<char, longest> name{};
    own.copy(name.data(), longest - 1);
    std::vector<std::array<char, longest>> all(rank == 0 ? static_cast<std::size_t>(ranks) : 0);
    check_raised(real::Gather(name.data(), static_cast<std::int64_t>(longest), MPI_CHAR, all.data(),
                              static_cast<std::int64_t>(longest), MPI_CHAR, 0, comm));
    std::vector<std::string> names;
    for (const auto& each : all) names.emplace_back(each.data());
    return names;
}

void say_once(const std::string& words)
{
    static Remark remark;
    remark.say([&] {
        return "lanes that are not alike: from now on shares follow the weights " + words +
               "; to begin with them: LANEWAY_LANE_WEIGHTS=" + words;
    });
}

}  // namespace

Weighing::Weighing(MPI_Comm comm, Parts& parts, int network_lanes, LaneFinder::Weights said,
                   std::string node)
    : comm_(comm),
      parts_(parts),
      lanes_(std::min(network_lanes, parts.layout().lanes())),
      node_(std::move(node)),
      finder_(lanes_ == network_lanes ? std::move(said) : LaneFinder::Weights())
{
    if (!has_several()) return;
    begin_with_what_is_known();
    put_in_words();
}

/// Each process says what it knows of its node. Where nobody of a node knows anything, all is as somebody has said.
void Weighing::begin_with_what_is_known()
{
    const auto nodes = static_cast<std::size_t>(parts_.layout().nodes());
    const auto lanes = static_cast<std::size_t>(lanes_);
    const auto own = static_cast<std::size_t>(parts_.layout().locate(parts_.world.rank()).node);
    std::vector<std::int64_t> mine(nodes * lanes, -1), all(nodes * lanes);
    const LaneWeights weights = known().weights(lanes);
    std::ranges::copy(weights, mine.begin() + static_cast<std::ptrdiff_t>(own * lanes));
    check_raised(real::Allreduce(mine.data(), all.data(), static_cast<std::int64_t>(mine.size()),
                                 MPI_INT64_T, MPI_MAX, comm_));
    if (std::ranges::min(all) < 0) return;
    LaneFinder::Weights found;
    for (auto row = all.begin(); row != all.end(); row += lanes_)
        found.emplace_back(row, row + lanes_);
    const auto is_alike = [](const LaneWeights& row) {
        return std::ranges::adjacent_find(row, std::not_equal_to<>()) == row.end();
    };
    if (std::ranges::all_of(found, is_alike)) found.clear();
    finder_ = LaneFinder(found);
    parts_.weigh(found);
}

void Weighing::carried(std::int64_t bytes)
{
    if (!has_several()) return;
    carried_ += bytes;
    if (carried_ < apart * piece * lanes_ * finder_.patience()) return;
    carried_ = 0;
    measure();
}

/// Times of the pieces that have come to this process, by network lane; 0 where it serves none.
std::vector<double> Weighing::times() const
{
    const Decomposition on(parts_);
    const auto sharing = [&](int network) {  // processes of a node on one network lane
        return on.lanes() / lanes_ + (network < on.lanes() % lanes_ ? 1 : 0);
    };
    const std::int64_t bytes = std::max<std::int64_t>(1, piece / sharing(0));
    std::vector<double> seconds(static_cast<std::size_t>(lanes_), 0);
    on.world.next_turn();
    serve_by_ours(Barrier{}, on);
    on.world.next_turn();
    const double began = PMPI_Wtime();
    std::vector<std::unique_ptr<Exchanged>> all;
    on.for_lanes(
        [&](int lane) { all.push_back(std::make_unique<Exchanged>(on.lane(lane), bytes)); });
    auto next = all.begin();
    on.for_lanes([&](int lane) {
        (*next++)->wait_for_what_comes();
        const int network = lane % lanes_;
        double& its = seconds[static_cast<std::size_t>(network)];
        // Lanes of fewer processes have carried fewer bytes.
        its = std::max(its, (PMPI_Wtime() - began) * sharing(0) / sharing(network));
    });
    for (const auto& each : all) each->wait_for_what_goes();
    return seconds;
}

/// The times of all nodes, by those of the calling process. A lane's time is that of the process that waited longest.
std::pair<LaneFinder::Times, LaneFinder::Times> Weighing::of_all(
    const std::vector<double>& least, const std::vector<double>& latest) const
{
    const auto nodes = static_cast<std::size_t>(parts_.layout().nodes()), lanes = least.size();
    const auto own = static_cast<std::size_t>(parts_.layout().locate(parts_.world.rank()).node);
    std::vector<std::int64_t> mine(2 * nodes * lanes), all(2 * nodes * lanes);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        mine[own * lanes + lane] = std::llround(least[lane] * nanoseconds);
        mine[(nodes + own) * lanes + lane] = std::llround(latest[lane] * nanoseconds);
    }
    check_raised(real::Allreduce(mine.data(), all.data(), static_cast<std::int64_t>(mine.size()),
                                 MPI_INT64_T, MPI_MAX, comm_));
    std::pair<LaneFinder::Times, LaneFinder::Times> result;
    for (std::size_t at = 0; at < all.size(); ++at) {
        const std::size_t node = at / lanes % nodes, lane = at % lanes;
        auto& times = at < nodes * lanes ? result.first : result.second;
        if (lane == 0) times.emplace_back();
        times[node].push_back(
            pretended ? pretended(static_cast<int>(node), static_cast<int>(lane), measured_)
                      : static_cast<double>(std::max<std::int64_t>(all[at], 1)) / nanoseconds);
    }
    return result;
}

/// A process that was disturbed has a shorter time among its latest.
void Weighing::measure()
{
    latest_.push_back(times());
    if (latest_.size() > LaneFinder::window) latest_.pop_front();
    std::vector<double> least = latest_.back();
    for (const std::vector<double>& seconds : latest_)
        std::ranges::transform(least, seconds, least.begin(),
                               [](double one, double other) { return std::min(one, other); });
    const auto [shortest, latest] = of_all(least, latest_.back());
    ++measured_;
    if (finder_.take(shortest, latest)) adopt(finder_.weights());
}

void Weighing::adopt(const LaneFinder::Weights& weights)
{
    parts_.weigh(weights);
    const auto own = static_cast<std::size_t>(parts_.layout().locate(parts_.world.rank()).node);
    known().keep(weights.empty() ? LaneWeights(static_cast<std::size_t>(lanes_), LaneFinder::finest)
                                 : weights[own]);
    put_in_words();
    if (!words_.empty()) say_once(words_);
}

/// Collective where the weights of nodes differ.
void Weighing::put_in_words()
{
    const LaneFinder::Weights& rows = finder_.weights();
    words_.clear();
    if (rows.empty()) return;
    NetworkLanes lanes(lanes_, *std::ranges::max_element(rows, {}, [&](const LaneWeights& row) {
                           return std::ranges::count(rows, row);
                       }));
    const Layout& layout = parts_.layout();
    if (std::ranges::count(rows, lanes.weights) < std::ssize(rows)) {
        const auto names = names_of_nodes(node_, layout.ranks(), parts_.world.rank(), comm_);
        for (int node = 0; node < layout.nodes() && !names.empty(); ++node)
            if (const auto& row = rows[static_cast<std::size_t>(node)]; row != lanes.weights)
                lanes.of_nodes.push_back(
                    {names[static_cast<std::size_t>(layout.members(node).front())], row});
    }
    if (parts_.world.rank() == 0) words_ = in_words(lanes);
}

}  // namespace laneway
