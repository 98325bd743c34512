// SPDX-License-Identifier: BSD-3-Clause
//
// Memory for small objects of C++, from lists by size that are never given back. The texts' short-lived vectors
// cost a part of what they would from the system's allocator. One thread alone allocates here.
#include <array>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t step = 32, classes = 64, chunk = std::size_t{1} << 18;

/// Before what is given out: its class, or `classes` where it is the system's.
struct alignas(16) Header {
    std::size_t of;
};
struct Free {
    Free* next;
};
std::array<Free*, classes> lists;
std::byte* fresh = nullptr;
std::size_t left = 0;

void* checked(void* memory)
{
    if (!memory) throw std::bad_alloc();
    return memory;
}

[[maybe_unused]] void* allocate(std::size_t bytes)
{
    const std::size_t of = (bytes + sizeof(Header) + step - 1) / step;
    if (of >= classes) {
        auto* const header = static_cast<Header*>(checked(std::malloc(bytes + sizeof(Header))));
        header->of = classes;
        return header + 1;
    }
    if (Free* const first = lists[of]) {
        lists[of] = first->next;
        return first;
    }
    if (left < of * step) {
        fresh = static_cast<std::byte*>(checked(std::malloc(chunk)));
        left = chunk;
    }
    auto* const header = new (fresh) Header{of};
    fresh += of * step;
    left -= of * step;
    return header + 1;
}

[[maybe_unused]] void give_back(void* memory)
{
    if (!memory) return;
    auto* const header = static_cast<Header*>(memory) - 1;
    if (header->of == classes) return std::free(header);
    lists[header->of] = new (memory) Free{lists[header->of]};
}

}  // namespace

// Sanitizers look at memory that is theirs.
#ifndef __SANITIZE_ADDRESS__
void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete[](void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete[](void* memory, std::size_t) noexcept { give_back(memory); }
#endif
