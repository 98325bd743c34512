// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace laneway {

/// Memory that processes of one machine share. It has no name in any file system. So nothing is left of it when its
/// last process ends, however that ends, and /dev/shm may be full or missing. Nobody but processes of the same user,
/// which may read each other's memory anyway, can open it. Nobody can change its size.
class SharedMemory {
public:
    /// The name by which another process finds it.
    struct Name {
        std::int64_t process;
        std::int64_t descriptor;
        std::uint64_t bytes;
        std::array<std::uint64_t, 2> random;
    };

    SharedMemory() = default;
    SharedMemory(SharedMemory&& other) noexcept
        : start_(std::exchange(other.start_, nullptr)),
          bytes_(other.bytes_),
          descriptor_(std::exchange(other.descriptor_, -1)),
          name_(other.name_)
    {
    }
    SharedMemory& operator=(SharedMemory&& other) noexcept
    {
        std::swap(start_, other.start_);
        std::swap(bytes_, other.bytes_);
        std::swap(descriptor_, other.descriptor_);
        std::swap(name_, other.name_);
        return *this;
    }
    ~SharedMemory();

    /// New memory, all bytes zero; nothing where the system has none (see start()).
    static SharedMemory create(std::size_t bytes);
    /// Memory of another process; nothing where it isn't to be found: on another machine, or kept from this process.
    static SharedMemory open(const Name& name);

    /// Bytes that this process has mapped of such memory at present.
    static std::size_t held();

    /// The start of the memory; null: there is none.
    void* start() const { return start_; }
    const Name& name() const { return name_; }
    /// To be called when all processes have opened it that are to: nobody can any more.
    void close();

private:
    bool map();

    void* start_ = nullptr;
    std::size_t bytes_ = 0;
    int descriptor_ = -1;
    Name name_{};
};

}  // namespace laneway
