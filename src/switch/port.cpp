// SPDX-License-Identifier: BSD-3-Clause
#include "switch/port.hpp"

#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace laneway::lanes {
namespace {

constexpr std::size_t block_bytes = 131072;
constexpr std::size_t before_frame = 96;  ///< At most: the kernel's headers in a slot.

/// As virtio_net_hdr in <linux/virtio_net.h>, which is no C++.
struct Offload {
    std::uint8_t flags;
    std::uint8_t gso_type;  ///< 0: the frame is no large segment.
    std::uint16_t headers;
    std::uint16_t gso_size;
    std::uint16_t sum_start, sum_offset;
};

void check(int result, const std::string& what)
{
    if (result < 0) throw std::system_error(errno, std::generic_category(), what);
}

template <class Value>
void set(int socket, int option, Value value, const char* name)
{
    check(setsockopt(socket, SOL_PACKET, option, &value, sizeof value), name);
}

std::size_t rounded_up(std::size_t value, std::size_t to) { return (value + to - 1) / to * to; }

/// The word of a slot that says whose it is.
std::atomic_ref<std::uint32_t> status_of(std::byte* slot)
{
    return std::atomic_ref(reinterpret_cast<tpacket2_hdr*>(slot)->tp_status);
}

}  // namespace

Port::Port(const std::string& device, std::size_t longest, std::size_t frames)
    : slot_bytes_(rounded_up(longest + before_frame, TPACKET_ALIGNMENT)),
      slots_a_block_(block_bytes / slot_bytes_),
      slots_(rounded_up(frames, slots_a_block_))
{
    socket_ = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);  // Of no protocol: nothing comes yet.
    check(socket_, "packet socket");
    set(socket_, PACKET_VERSION, static_cast<int>(TPACKET_V2), "PACKET_VERSION");
    set(socket_, PACKET_VNET_HDR, 1, "PACKET_VNET_HDR");
    set(socket_, PACKET_IGNORE_OUTGOING, 1, "PACKET_IGNORE_OUTGOING");
    const tpacket_req wanted{.tp_block_size = block_bytes,
                             .tp_block_nr = static_cast<unsigned>(slots_ / slots_a_block_),
                             .tp_frame_size = static_cast<unsigned>(slot_bytes_),
                             .tp_frame_nr = static_cast<unsigned>(slots_)};
    set(socket_, PACKET_RX_RING, wanted, "PACKET_RX_RING");
    void* mapped = mmap(nullptr, wanted.tp_block_nr * block_bytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED, socket_, 0);
    check(mapped == MAP_FAILED ? -1 : 0, "mmap of the ring");
    ring_ = static_cast<std::byte*>(mapped);

    sockaddr_ll address{};
    address.sll_family = AF_PACKET;
    address.sll_protocol = htons(ETH_P_ALL);
    address.sll_ifindex = static_cast<int>(if_nametoindex(device.c_str()));
    check(address.sll_ifindex == 0 ? -1 : 0, device);
    check(bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), device);
}

Port::Port(Port&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)),
      ring_(std::exchange(other.ring_, nullptr)),
      slot_bytes_(other.slot_bytes_),
      slots_a_block_(other.slots_a_block_),
      slots_(other.slots_),
      next_(other.next_),
      lost_(other.lost_)
{
}

Port::~Port()
{
    if (ring_ != nullptr) munmap(ring_, slots_ / slots_a_block_ * block_bytes);
    if (socket_ >= 0) close(socket_);
}

std::byte* Port::slot(std::size_t number) const
{
    return ring_ + number / slots_a_block_ * block_bytes + number % slots_a_block_ * slot_bytes_;
}

void Port::receive(const std::function<void(const Received&)>& take)
{
    for (std::byte* at = slot(next_);; at = slot(next_)) {
        const auto status = status_of(at);
        if ((status.load(std::memory_order_acquire) & TP_STATUS_USER) == 0) return;
        const auto& header = *reinterpret_cast<const tpacket2_hdr*>(at);
        Offload offload{};
        const std::byte* frame = at + header.tp_mac;
        const std::byte* data = frame - sizeof offload;
        std::memcpy(&offload, data, sizeof offload);
        if (header.tp_snaplen < header.tp_len)
            ++lost_;
        else
            take({.when = header.tp_sec * second + header.tp_nsec,
                  .data = {data, sizeof offload + header.tp_len},
                  .frame = {frame, header.tp_len},
                  .segment = offload.gso_type == 0 ? 0U : offload.gso_size});
        status.store(TP_STATUS_KERNEL, std::memory_order_release);
        next_ = (next_ + 1) % slots_;
    }
}

bool Port::send(std::span<const std::byte> data) const
{
    return ::send(socket_, data.data(), data.size(), MSG_DONTWAIT) >= 0;
}

std::uint64_t Port::lost()
{
    tpacket_stats since{};  // Reading sets them to zero.
    socklen_t length = sizeof since;
    if (getsockopt(socket_, SOL_PACKET, PACKET_STATISTICS, &since, &length) == 0)
        lost_ += since.tp_drops;
    return lost_;
}

}  // namespace laneway::lanes
