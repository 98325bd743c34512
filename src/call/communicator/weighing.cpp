// SPDX-License-Identifier: BSD-3-Clause
#include "call/communicator/weighing.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>

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
          messages_(lane_)
    {
        const Buffer all = memory_.buffer(), in = all.slice(0, bytes),
                     out = all.slice(bytes, bytes);
        std::memset(out.data, 0, static_cast<std::size_t>(bytes));
        const int size = lane_.size(), node = lane_.rank();
        messages_.receive(in, (node + size - 1) % size);
        messages_.send(out, (node + 1) % size);
    }
    void wait() { messages_.wait(); }

private:
    Scratch memory_;
    const Comm& lane_;
    Messages messages_;
};

std::string in_words(const std::vector<std::int64_t>& weights)
{
    std::string words;
    for (const std::int64_t weight : weights)
        words += (words.empty() ? "" : ":") + std::to_string(weight);
    return words;
}

void say_once(const std::vector<std::int64_t>& weights)
{
    static Remark remark;
    remark.say([&] {
        return "lanes that are not alike: from now on shares follow the weights " +
               in_words(weights) +
               "; to begin with them: LANEWAY_LANE_WEIGHTS=" + in_words(weights);
    });
}

}  // namespace

Weighing::Weighing(MPI_Comm comm, Parts& parts, const NetworkLanes& lanes)
    : comm_(comm),
      parts_(parts),
      lanes_(std::min(lanes.number, parts.layout().lanes())),
      finder_(lanes_ == lanes.number ? lanes.weights : std::vector<std::int64_t>())
{
}

void Weighing::carried(std::int64_t bytes)
{
    if (lanes_ < 2 || parts_.layout().nodes() < 2) return;
    carried_ += bytes;
    if (carried_ < apart * piece * lanes_ * finder_.patience()) return;
    carried_ = 0;
    measure();
}

/// Times of the pieces of this process, by network lane; 0 where it serves none.
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
        (*next++)->wait();
        const int network = lane % lanes_;
        double& its = seconds[static_cast<std::size_t>(network)];
        // Lanes of fewer processes have carried fewer bytes.
        its = std::max(its, (PMPI_Wtime() - began) * sharing(0) / sharing(network));
    });
    return seconds;
}

/// A lane's time is that of the process that waited longest, so of the node where it is slowest. A process that was
/// disturbed has a shorter time among its latest.
void Weighing::measure()
{
    latest_.push_back(times());
    if (latest_.size() > LaneFinder::window) latest_.pop_front();
    const auto lanes = static_cast<std::size_t>(lanes_);
    std::vector<std::int64_t> mine, all(2 * lanes);
    const auto add = [&](double seconds) { mine.push_back(std::llround(seconds * nanoseconds)); };
    for (std::size_t lane = 0; lane < lanes; ++lane)
        add(std::ranges::min(latest_, {}, [&](const auto& times) { return times[lane]; })[lane]);
    for (const double seconds : latest_.back()) add(seconds);
    check_raised(real::Allreduce(mine.data(), all.data(), static_cast<std::int64_t>(mine.size()),
                                 MPI_INT64_T, MPI_MAX, comm_));
    std::vector<double> seconds;
    for (const std::int64_t time : all)
        seconds.push_back(static_cast<double>(std::max<std::int64_t>(time, 1)) / nanoseconds);
    if (pretended)
        for (std::size_t at = 0; at < seconds.size(); ++at)
            seconds[at] = pretended(static_cast<int>(at % lanes), measured_);
    ++measured_;
    const std::span<const double> both(seconds);
    if (!finder_.take(both.first(lanes), both.last(lanes))) return;
    parts_.weigh(finder_.weights());
    if (parts_.world.rank() == 0 && !finder_.weights().empty()) say_once(finder_.weights());
}

}  // namespace laneway
