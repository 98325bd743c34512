// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <vector>

namespace laneway::property {

/// Allocates pages that hold nothing else, so that they can be protected.
template <class T>
struct Pages {
    using value_type = T;

    T* allocate(std::size_t count)
    {
        void* pages = mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED) throw std::bad_alloc();
        return static_cast<T*>(pages);
    }
    void deallocate(T* pages, std::size_t count) noexcept { munmap(pages, count * sizeof(T)); }

    friend bool operator==(Pages, Pages) { return true; }
};

using Memory = std::vector<std::byte, Pages<std::byte>>;

/// While it lives, `memory` can be read only; one lives at a time. Writes to it all the same are
/// noted, and let through.
class ReadOnly {
public:
    explicit ReadOnly(const Memory& memory);
    ReadOnly(const ReadOnly&) = delete;
    ReadOnly& operator=(const ReadOnly&) = delete;
    ~ReadOnly();

    static bool written();
};

/// For a handler of SIGSEGV: true where the fault at `address` was a write to what is read-only just
/// now, which may then be repeated.
bool let_through(const void* address);

}  // namespace laneway::property
