// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "collectives/algorithm.hpp"
#include "data/scratch.hpp"
#include "decomposition/components.hpp"
#include "messages/messages.hpp"

namespace laneway {
namespace {

constexpr std::int64_t most_nodes = 1 << 20;

constexpr Tunable side(const char* name)
{
    return {name, "nodes", 1, 1, most_nodes, "a side of the torus that ranks stand in, row by row"};
}

const std::vector<Tunable> sides{side("x"), side("y"), side("z"), side("a"), side("b"), side("c")};

/// A dimension of the grid that ranks stand in, row by row.
struct Dimension {
    int size;
    int stride;  ///< from a rank to the next one in this dimension
};

/// The dimensions that the tunables give, and the rest of the ranks as the last one. A side that does not divide the
/// rest of the ranks is cut to the greatest common divisor of both.
std::vector<Dimension> grid(int ranks, const Tunables& tunables)
{
    std::vector<Dimension> found;
    int left = ranks;
    for (const Tunable& one : sides) {
        const int size = std::gcd(left, static_cast<int>(tunables[one.name]));
        left /= size;
        if (size > 1) found.push_back({size, left});
    }
    if (left > 1 || found.empty()) found.push_back({left, 1});
    return found;
}

/// The blocks at one place of a dimension, out of a block for each rank of the grid.
class Plane {
public:
    Plane(const Dimension& along, int ranks, std::int64_t length, MPI_Datatype type)
        : step_(along.stride * length),
          type_(Datatype::strided(ranks / (along.size * along.stride), static_cast<int>(step_),
                                  static_cast<int>(along.size * step_), type,
                                  static_cast<int>(ranks * length)))
    {
    }

    Buffer at(int place, const Buffer& blocks) const
    {
        return Buffer::of(blocks.slice(place * step_, 0).data, 1, type_);
    }

private:
    std::int64_t step_;
    Datatype type_;
};

/// Sends everyone's blocks to where they belong in one dimension. Blocks stand by the places of their targets in the
/// dimensions to come, and by those of their origins in the dimensions that have been.
void exchange_along(const Dimension& along, const Buffer& from, const Buffer& to, const Comm& comm)
{
    const int rank = comm.rank(), size = comm.size();
    const Plane plane(along, size, from.count / size, from.type);
    const int own = rank / along.stride % along.size;
    Messages messages(comm);
    for (int step = 1; step < along.size; ++step) {
        const auto after = [&](int distance) { return (own + distance) % along.size; };
        const auto at = [&](int place) { return rank + (place - own) * along.stride; };
        const int next = after(step), before = after(along.size - step);
        messages.receive(plane.at(before, to), at(before));
        messages.send(plane.at(next, from), at(next));
    }
    copy(plane.at(own, from), plane.at(own, to), comm);
    messages.wait();
}

}  // namespace

/// Blocks go from room to room, the last of which is the result.
static void alltoall_by_dimension(const Alltoall& call, const Decomposition& on,
                                  const Tunables& tunables)
{
    const std::vector<Dimension> dimensions = grid(on.world.size(), tunables);
    const bool in_place = call.input.data == call.result.data, odd = dimensions.size() % 2 == 1;
    const bool needs_room = in_place || dimensions.size() > 1;
    const Scratch scratch(needs_room ? call.result.count : 0, call.result.type);
    Buffer from = call.input;
    bool to_result = odd;
    if (in_place && odd) {
        copy(call.input, scratch.buffer(), on.world);
        from = scratch.buffer();
    }
    for (std::size_t left = dimensions.size(); left-- > 0; to_result = !to_result) {
        const Buffer to = to_result ? call.result : scratch.buffer();
        exchange_along(dimensions[left], from, to, on.world);
        from = to;
    }
}

static const Register<Alltoall> entry({
    .run = alltoall_by_dimension,
    .flat = true,
    .memory = {.message = 1},
    .tunables = sides,
    .about =
        {.idea = "along one dimension of a torus after the other, blocks go to where their targets "
                 "are in it, those with the same place in one message",
         .rounds = "1; one for each dimension that is told, and one for what is left",
         .volume = "(p - 1) m a process; p (1 - 1/d) m for each dimension of d places",
         .memory = "none; p m where several dimensions are told or the call is in place",
         .source =
             "store and forward on meshes and tori: Bokhari and Berryman 1992, complete exchange "
             "on a circuit switched mesh; here for any number of dimensions"},
});

}  // namespace laneway
