// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cxxabi.h>

#include <new>

/// Code of the user's that the MPI library runs in calls of ours: operators, error handlers, functions of attributes.
/// Its exceptions are the program's, and pass through us: at once where nothing is under way, else when that is over.
namespace laneway::users {

/// @name For templates
/// @{
inline thread_local bool is_any_kept __attribute__((tls_model("initial-exec"))) = false;
/// Keeps the exception that is thrown just now; false: it is none of C++, and must go on.
bool keep_it();
void throw_it();
void mark(const std::bad_alloc& thrown);
/// @}

/// Runs `body()`, which runs such code while others wait for what comes after it: an exception of that code is kept.
/// If there are several, the first one is kept.
template <class Body>
void keep(const Body& body)
{
    try {
        body();
    } catch (const abi::__forced_unwind&) {  // the thread ends
        throw;
    } catch (...) {
        if (!keep_it()) throw;
    }
}

/// Whether an exception has been kept in the calling thread.
inline bool has_thrown() { return is_any_kept; }

/// Throws the exception that is kept, if there is one; it is kept no longer.
inline void throw_what_is_kept()
{
    if (is_any_kept) [[unlikely]]
        throw_it();
}

/// Runs `body()`, which may run such code; throws the exceptions of that code.
template <class Body>
auto run(const Body& body)
{
    try {
        return body();
    } catch (const std::bad_alloc& thrown) {
        mark(thrown);
        throw;
    }
}

/// Whether the exception was thrown out of run(): then it is not memory of ours that is missing.
bool has_thrown(const std::bad_alloc& thrown);

}  // namespace laneway::users
