// SPDX-License-Identifier: BSD-3-Clause
#include "carriers/brief.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>

#include "data/datatype.hpp"
#include "data/scratch.hpp"
#include "library/error.hpp"
#include "messages/idle.hpp"
#include "messages/messages.hpp"
#include "messages/pmpi.hpp"
#include "node/channel.hpp"
#include "schedule/address.hpp"

namespace laneway {
namespace {

/// The most messages of a program: a bit each says which have been taken.
constexpr std::uint16_t messages_at_most = 64;
constexpr std::size_t steps_at_most = 128;
constexpr std::size_t scratch_at_most = 256 << 10;
/// Bytes of temporary memory that stays for the next time. To take more anew costs little beside the work on these
/// bytes.
constexpr std::size_t scratch_kept_at_most = 1 << 10;

}  // namespace

class Brief::Execution {
public:
    Execution(const Brief& brief, const Bases& bases, MPI_Op op)
        : brief_(brief),
          bases_(bases),
          op_(op),
          world_(*brief.world_),
          channel_(*world_.channel()),
          context_(static_cast<std::uint16_t>(world_.context())),
          first_tag_(world_.tag_in_turn(0))
    {
    }

    void run()
    {
        // As in any wait, others may wait for messages that are under way here.
        if (channel_.is_busy()) channel_.progress();
        for (const Step& step : brief_.steps_) {
            switch (step.kind) {
            case Kind::send:
                if (channel_.send_at_once(step.from.in(bases_), step.bytes, step.member, context_,
                                          first_tag_ + step.tag) != AtOnce::done)
                    begin(step);
                [[fallthrough]];
            case Kind::receive:
                ++begun_;
                break;
            case Kind::wait:
                for (std::uint32_t index = 0; index < step.count; ++index)
                    wait(brief_.awaited_[step.first + index]);
                break;
            case Kind::copy:
                std::memmove(step.to.in(bases_), step.from.in(bases_), step.bytes);
                break;
            case Kind::reduce:
                check(pmpi::reduced(step.from.in(bases_), step.to.in(bases_),
                                    static_cast<int>(step.count), step.type, op_));
                break;
            }
        }
    }

private:
    const Step& message(std::uint16_t number) const
    {
        return brief_.steps_[brief_.message_steps_[number]];
    }

    /// Begins a message by the way of other messages.
    void begin(const Step& step)
    {
        Messages& messages = others_.try_emplace(step.message, world_).first->second;
        const bool leaves = step.kind == Kind::send;
        const Buffer data{(leaves ? step.from : step.to).in(bases_), step.bytes, MPI_BYTE, 1};
        leaves ? messages.send(data, step.peer, step.tag)
               : messages.receive(data, step.peer, step.tag);
    }

    void wait(std::uint16_t number)
    {
        const Step& step = message(number);
        if (others_.empty()) {
            if (step.kind == Kind::send) return;
            if (comes_soon(step)) return take(number);
        }
        begin_receives();
        const auto other = others_.find(number);
        if (other == others_.end()) return;
        other->second.wait();
        others_.erase(other);
        take(number);
    }

    bool comes_soon(const Step& step)
    {
        for (Idle idle(world_);;) {
            const AtOnce outcome = channel_.receive_at_once(
                step.to.in(bases_), step.bytes, step.member, context_, first_tag_ + step.tag);
            if (outcome != AtOnce::not_yet || !idle.looks_on()) return outcome == AtOnce::done;
        }
    }

    /// Begins all receives that the algorithm has under way by now: others may wait for them.
    void begin_receives()
    {
        for (std::uint16_t number = 0; number < begun_; ++number)
            if (message(number).kind == Kind::receive && !is_taken(number) &&
                !others_.contains(number))
                begin(message(number));
    }

    void take(std::uint16_t number) { taken_ |= std::uint64_t{1} << number; }
    bool is_taken(std::uint16_t number) const { return (taken_ >> number & 1) != 0; }

    const Brief& brief_;
    const Bases& bases_;
    const MPI_Op op_;
    const Comm& world_;
    NodeChannel& channel_;
    const std::uint16_t context_;
    const int first_tag_;
    std::uint16_t begun_ = 0;
    std::uint64_t taken_ = 0;                   ///< receives that are over
    std::map<std::uint16_t, Messages> others_;  ///< messages that go by other ways, by number
};

void Brief::run(Bases bases, MPI_Op op) const
{
    world_->next_turn();
    std::optional<Scratch> scratch;
    bases[scratch_base_] = kept_.get();
    if (scratch_bytes_ > scratch_kept_at_most)
        bases[scratch_base_] = static_cast<std::byte*>(
            scratch.emplace(static_cast<std::int64_t>(scratch_bytes_), MPI_BYTE).buffer().data);
    Execution(*this, bases, op).run();
}

std::optional<Brief> Brief::of(const Program& program, const Comm& world)
{
    // Beyond a node, algorithms cut long messages, and cut them otherwise where they are recorded.
    if (!world.channel() || !world.within_node() || program.strands.size() != 1 ||
        program.groups.size() != 1 || program.groups.front() != &world ||
        program.buffers + 1 > bases_at_most || !program.owned_types.empty() ||
        program.scratch_bytes() > scratch_at_most ||
        program.strands.front().messages > messages_at_most ||
        program.strands.front().operations.size() > steps_at_most ||
        !std::ranges::all_of(program.types, is_gap_free))
        return std::nullopt;
    Brief brief(world);
    brief.scratch_base_ = program.buffers;
    brief.scratch_bytes_ = program.scratch_bytes();
    if (brief.scratch_bytes_ <= scratch_kept_at_most)
        brief.kept_ = std::make_unique_for_overwrite<std::byte[]>(brief.scratch_bytes_);
    const Strand& text = program.strands.front();
    brief.awaited_.assign(text.awaited.begin(), text.awaited.end());
    std::uint16_t messages = 0;
    for (const Operation& operation : text.operations)
        if (!brief.add(program, operation, messages)) return std::nullopt;
    if (!brief.is_awaited_in_order()) return std::nullopt;
    return brief;
}

/// False: there is no step for the operation.
bool Brief::add(const Program& program, const Operation& operation, std::uint16_t& messages)
{
    const auto place = [](const void* address) {
        return Place{symbolic::base_of(address), symbolic::offset_of(address)};
    };
    const auto bytes_of = [&](std::int64_t count, std::uint16_t type) {
        return count * size_of(program.types[type]);
    };
    Step& step = steps_.emplace_back();
    step.count = static_cast<std::uint32_t>(operation.count);
    step.bytes = static_cast<std::uint32_t>(bytes_of(operation.count, operation.type));
    switch (operation.kind) {
    case Operation::Kind::send:
    case Operation::Kind::receive: {
        const bool leaves = operation.kind == Operation::Kind::send;
        step.kind = leaves ? Kind::send : Kind::receive;
        step.message = messages++;
        step.tag = operation.tag;
        step.peer = operation.peer;
        step.member = world_->member(operation.peer);
        (leaves ? step.from : step.to) = place(leaves ? operation.from : operation.to);
        message_steps_.push_back(static_cast<std::uint16_t>(steps_.size() - 1));
        return step.member >= 0 &&
               bytes_of(operation.count, operation.type) <= world_->channel()->at_once_at_most();
    }
    case Operation::Kind::wait:
        step.kind = Kind::wait;
        step.first = static_cast<std::uint32_t>(operation.to_count);
        return true;
    case Operation::Kind::copy:
        step.kind = Kind::copy;
        step.from = place(operation.from);
        step.to = place(operation.to);
        return step.bytes == bytes_of(operation.to_count, operation.to_type);
    case Operation::Kind::reduce:
        step.kind = Kind::reduce;
        step.type = program.types[operation.type];
        step.from = place(operation.from);
        step.to = place(operation.to);
        return true;
    default:
        return false;
    }
}

/// Whether each message is waited for once, and messages that only their order tells apart in that order.
bool Brief::is_awaited_in_order() const
{
    if (awaited_.size() != message_steps_.size()) return false;
    std::map<std::tuple<Kind, std::int32_t, std::int32_t>, int> latest;
    for (const std::uint16_t number : awaited_) {
        const Step& step = steps_[message_steps_[number]];
        const auto [known, is_new] = latest.try_emplace({step.kind, step.peer, step.tag}, number);
        if (!is_new && known->second >= number) return false;
        known->second = number;
    }
    return true;
}

}  // namespace laneway
