// SPDX-License-Identifier: BSD-3-Clause
#include "walks/ring.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "data/scratch.hpp"
#include "data/segments.hpp"
#include "messages/exchange.hpp"
#include "messages/messages.hpp"
#include "messages/pmpi.hpp"

namespace laneway {
namespace {

/// Segments that a process sends before those that it has got itself: a process that is late must not be flooded.
constexpr int segments_ahead = 4;

/// The calling process among its neighbours.
class RingWalk {
public:
    RingWalk(const Partition& part, const Order& order, const Comm& comm)
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
    const RingWalk ring(part, order, comm);
    for (int step = 0; step < comm.size() - 1; ++step) {
        Exchange messages(comm);
        messages.receive(ring.behind(whole, step + 1), ring.before());
        messages.send(ring.behind(whole, step), ring.after());
        messages.wait();
    }
}

void allgather_ring(const Buffer& whole, const Partition& part, std::int64_t segment,
                    const Order& order, const Comm& comm)
{
    const int size = comm.size();
    if (size == 1) return;
    const RingWalk ring(part, order, comm);
    // Pieces in the order in which they leave the process `places` before this one: its own block's, then those of the
    // next block before it ...
    const auto pieces_from = [&](int places) {
        std::vector<Buffer> pieces;
        for (int step = 0; step < size - 1; ++step) {
            const Segments cut(ring.behind(whole, places + step), segment);
            for (int at = 0; at < cut.count(); ++at) pieces.push_back(cut[at]);
        }
        return pieces;
    };
    const std::vector<Buffer> arriving = pieces_from(1), leaving = pieces_from(0);
    const auto own = static_cast<std::size_t>(Segments(ring.behind(whole, 0), segment).count());

    // The piece that leaves as number `at` has come as number `at - own`. Nobody sends more than some pieces ahead of
    // those that it has got. Nor does anyone wait for room before it has posted as many receives. So the ring never
    // stands still.
    constexpr std::size_t ahead = segments_ahead;
    Messages in(comm), out(comm);
    std::size_t posted = 0, come = 0, sent = 0;
    const auto post = [&] {
        for (; posted < arriving.size() && posted < come + ahead; ++posted)
            in.receive(arriving[posted], ring.before());
    };
    const auto send = [&] {
        for (; sent < leaving.size() && sent < own + come && sent < come + ahead; ++sent) {
            out.wait(ahead - 1);
            out.send(leaving[sent], ring.after());
        }
    };
    post();
    send();
    while (come < arriving.size()) {
        in.wait(posted - come - 1);
        ++come;
        post();
        send();
    }
    for (; sent < leaving.size(); ++sent) {
        out.wait(ahead - 1);
        out.send(leaving[sent], ring.after());
    }
    out.wait();
}

void reduce_scatter_ring(const Buffer& input, const Buffer& sums, const Partition& part, MPI_Op op,
                         std::int64_t segment, const Order& order, const Comm& comm)
{
    const RingWalk ring(part, order, comm);
    const bool in_place = input.data == sums.data;
    if (comm.size() == 1 && !in_place) pmpi::copy(input, sums, comm);

    int segments = 0;  // segments of the longest block
    std::int64_t length = 0;
    for (int block = 0; block < part.parts(); ++block) {
        const Segments cut(part.block(input, block), segment);
        segments = std::max(segments, cut.count());
        length = std::max(length, cut[0].count);
    }
    const Scratch rooms(in_place ? 2 * length : 0, input.type);
    const int all = (comm.size() - 1) * segments;  // pieces that arrive, the nearest block's last
    const auto piece = [&](const Buffer& whole, int at) {
        return Segments(ring.behind(whole, at / segments + 1), segment)[at % segments];
    };
    const auto room = [&](int at) {
        const Buffer sum = piece(sums, at + segments);
        return in_place ? rooms.buffer().slice(at % 2 * length, sum.count) : sum;
    };

    // The piece that a process sends as number `at` is a sum with the piece that came as number `at - segments`.
    const int ahead = std::min(segments, segments_ahead);
    Messages arriving(comm), leaving(comm);
    const auto send = [&](int at) {
        if (at >= all) return;
        leaving.wait(static_cast<std::size_t>(ahead));
        leaving.send(piece(at < segments ? input : sums, at), ring.after());
    };
    if (all > 0) arriving.receive(room(0), ring.before());
    for (int at = 0; at < ahead; ++at) send(at);
    for (int at = 0; at < all; ++at) {
        arriving.wait();
        if (at + 1 < all) arriving.receive(room(at + 1), ring.before());
        const Buffer sum = piece(sums, at + segments);
        pmpi::reduce_local(in_place ? room(at) : piece(input, at + segments), sum, op);
        send(at + ahead);
    }
    leaving.wait();
}

}  // namespace laneway
