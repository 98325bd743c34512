// SPDX-License-Identifier: BSD-3-Clause
#include "memory.hpp"

#include <atomic>
#include <cstdint>

namespace laneway::property {
namespace {

/// Address and length of the memory that is read-only just now. A signal handler reads them.
std::atomic<std::uintptr_t> first, length;
std::atomic<bool> has_been_written;

void protect(int how) { mprotect(reinterpret_cast<void*>(first.load()), length, how); }

}  // namespace

ReadOnly::ReadOnly(const Memory& memory)
{
    first = reinterpret_cast<std::uintptr_t>(memory.data());
    length = memory.size();
    has_been_written = false;
    protect(PROT_READ);
}

ReadOnly::~ReadOnly()
{
    protect(PROT_READ | PROT_WRITE);
    length = 0;
}

bool ReadOnly::written() { return has_been_written; }

bool let_through(const void* address)
{
    if (reinterpret_cast<std::uintptr_t>(address) - first >= length || has_been_written)
        return false;
    has_been_written = true;
    protect(PROT_READ | PROT_WRITE);
    return true;
}

}  // namespace laneway::property
