// SPDX-License-Identifier: BSD-3-Clause
#include "library/users.hpp"

#include <exception>
#include <utility>

namespace laneway::users {
namespace {

thread_local std::exception_ptr kept;
thread_local const std::bad_alloc* marked = nullptr;

}  // namespace

bool keep_it()
{
    std::exception_ptr thrown = std::current_exception();
    if (!thrown) return false;
    if (!std::exchange(is_any_kept, true)) kept = std::move(thrown);
    return true;
}

void throw_it()
{
    is_any_kept = false;
    std::rethrow_exception(std::exchange(kept, nullptr));
}

void mark(const std::bad_alloc& thrown) { marked = &thrown; }

bool has_thrown(const std::bad_alloc& thrown) { return std::exchange(marked, nullptr) == &thrown; }

}  // namespace laneway::users
