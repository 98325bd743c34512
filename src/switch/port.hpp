// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "switch/pace.hpp"
#include "switch/ring.hpp"

namespace laneway::lanes {

/// A network interface from which all frames are taken and to which frames are given, see packet(7).
///
/// Frames come with a header that says what is still to be done to them (virtio_net_hdr). That is the sum that an
/// adapter would compute, and the pieces that it would cut a large segment into. The header goes on with the frame,
/// so that nothing has to be done here. The kernel puts frames into a ring of memory that it shares with us, with the
/// time at which they came.
class Port {
public:
    /// `ring` has room for frames that were not taken yet. Throws std::system_error.
    Port(const std::string& device, const Ring& ring);
    Port(Port&& other) noexcept;
    Port& operator=(Port&&) = delete;
    Port(const Port&) = delete;
    Port& operator=(const Port&) = delete;
    ~Port();

    /// The socket, which is readable when a frame has come.
    int descriptor() const { return socket_; }

    /// A frame came at `when`, by the clock CLOCK_REALTIME. `data` is what send() takes, `frame` its
    /// part without the header, `segment` the size of the pieces of a large segment, 0 for none.
    struct Received {
        Time when;
        std::span<const std::byte> data, frame;
        std::size_t segment;
    };

    /// Takes the frames that have come.
    void receive(const std::function<void(const Received&)>& take);

    /// Gives a frame to the interface; false where the kernel has no room for it.
    bool send(std::span<const std::byte> data) const;

    /// Frames so far that came when the ring was full, or were longer than expected.
    std::uint64_t lost();

private:
    int socket_ = -1;
    Ring ring_;
    std::byte* memory_ = nullptr;  ///< The ring's memory.
    std::size_t next_ = 0;
    std::uint64_t lost_ = 0;
};

}  // namespace laneway::lanes
