// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cxxabi.h>

#include <new>

/// Code of the user's that the MPI library runs in calls of ours: operators, error handlers, functions of attributes.
/// What it throws is the program's, and passes through us: at once where nothing is under way, else when that is over.
namespace laneway::users {

/// @name For templates
/// @{
inline thread_local bool is_any_kept __attribute__((tls_model("initial-exec"))) = false;
/// What is thrown just now is kept; false: it is none of C++, and must go on.
bool keep_it();
void throw_it();
void mark(const std::bad_alloc& thrown);
/// @}

/// `body()`, which runs such code while others wait for what comes after it: what that throws is kept. Of several, the
/// first.
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

/// Something has been kept in the calling thread.
inline bool has_thrown() { return is_any_kept; }

/// Nothing is kept any longer: it is thrown.
inline void throw_what_is_kept()
{
    if (is_any_kept) [[unlikely]]
        throw_it();
}

/// `body()`, which may run such code and throws what that throws.
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

/// What was thrown out of run(), so that it is not memory of ours that is missing.
bool has_thrown(const std::bad_alloc& thrown);

}  // namespace laneway::users
