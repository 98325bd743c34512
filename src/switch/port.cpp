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

/// The kernel's virtio_net_hdr in <linux/virtio_net.h>, which is no C++.
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

/// The word of a slot that says whose the slot is.
std::atomic_ref<std::uint32_t> status_of(std::byte* slot)
{
    return std::atomic_ref(reinterpret_cast<tpacket2_hdr*>(slot)->tp_status);
}

}  // namespace

Port::Port(const std::string& device, const Ring& ring) : ring_(ring)
{
    socket_ = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);  // No protocol: nothing comes yet.
    check(socket_, "packet socket");
    set(socket_, PACKET_VERSION, static_cast<int>(TPACKET_V2), "PACKET_VERSION");
    set(socket_, PACKET_VNET_HDR, 1, "PACKET_VNET_HDR");
    set(socket_, PACKET_IGNORE_OUTGOING, 1, "PACKET_IGNORE_OUTGOING");
    const tpacket_req wanted{.tp_block_size = Ring::block_bytes,
                             .tp_block_nr = static_cast<unsigned>(ring.blocks),
                             .tp_frame_size = static_cast<unsigned>(ring.slot_bytes),
                             .tp_frame_nr = static_cast<unsigned>(ring.slots())};
    set(socket_, PACKET_RX_RING, wanted, "PACKET_RX_RING");
    void* mapped = mmap(nullptr, ring.bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, socket_, 0);
    check(mapped == MAP_FAILED ? -1 : 0, "mmap of the ring");
    memory_ = static_cast<std::byte*>(mapped);

    sockaddr_ll address{};
    address.sll_family = AF_PACKET;
    address.sll_protocol = htons(ETH_P_ALL);
    address.sll_ifindex = static_cast<int>(if_nametoindex(device.c_str()));
    check(address.sll_ifindex == 0 ? -1 : 0, device);
    check(bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), device);
}

Port::Port(Port&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)),
      ring_(other.ring_),
      memory_(std::exchange(other.memory_, nullptr)),
      next_(other.next_),
      lost_(other.lost_)
{
}

Port::~Port()
{
    if (memory_ != nullptr) munmap(memory_, ring_.bytes());
    if (socket_ >= 0) close(socket_);
}

void Port::receive(const std::function<void(const Received&)>& take)
{
    for (;;) {
        std::byte* at = memory_ + ring_.at(next_);
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
        next_ = (next_ + 1) % ring_.slots();
    }
}

bool Port::send(std::span<const std::byte> data) const
{
    return ::send(socket_, data.data(), data.size(), MSG_DONTWAIT) >= 0;
}

std::uint64_t Port::lost()
{
    tpacket_stats since{};  // Reading sets these to zero.
    socklen_t length = sizeof since;
    if (getsockopt(socket_, SOL_PACKET, PACKET_STATISTICS, &since, &length) == 0)
        lost_ += since.tp_drops;
    return lost_;
}

}  // namespace laneway::lanes
