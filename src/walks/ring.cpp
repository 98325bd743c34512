// SPDX-License-Identifier: BSD-3-Clause
#include "walks/ring.hpp"

#include "mpi/messages.hpp"

namespace laneway {
namespace {

constexpr int tag = 0;

/// The calling process among its neighbours.
class Ring {
public:
    Ring(const Partition& part, const Order& order, const Comm& comm)
        : part_(part),
          order_(order),
          position_(order.position(comm.rank()))
    {
    }

    int before() const { return rank(-1); }
    int after() const { return rank(1); }
    /// The block of the process so many places before it.
    Buffer behind(const Buffer& whole, int places) const
    {
        return part_.block(whole, rank(-places));
    }

private:
    int rank(int distance) const
    {
        return order_.rank((position_ + distance + order_.ranks()) % order_.ranks());
    }

    const Partition& part_;
    const Order& order_;
    int position_;
};

}  // namespace

void allgather_ring(const Buffer& whole, const Partition& part, const Order& order,
                    const Comm& comm)
{
    const Ring ring(part, order, comm);
    for (int step = 0; step < comm.size() - 1; ++step) {
        Messages messages(comm);
        messages.receive(ring.behind(whole, step + 1), ring.before(), tag);
        messages.send(ring.behind(whole, step), ring.after(), tag);
        messages.wait();
    }
}

}  // namespace laneway
