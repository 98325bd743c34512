// SPDX-License-Identifier: BSD-3-Clause
// The C API (include/laneway.h) but for the collectives themselves (collectives.cpp).
#include <laneway.h>

#include <algorithm>
#include <exception>
#include <string>

#include "call/communicator/lifetime.hpp"
#include "call/communicator/state.hpp"
#include "call/request.hpp"
#include "choose/named.hpp"
#include "library/error.hpp"
#include "library/real.hpp"
#include "machine/node.hpp"

using namespace laneway;

namespace {

const char* algorithm_at(Collective collective, int index)
{
    std::vector<std::string_view> names{"native"};  // each ends in a null byte
    for (const auto& algorithm : registry::all(collective)) names.push_back(algorithm.name);
    std::ranges::sort(names);
    const auto place = static_cast<std::size_t>(index);
    return index >= 0 && place < names.size() ? names[place].data() : nullptr;
}

}  // namespace

extern "C" {

const char* laneway_served_by(MPI_Comm comm)
{
    if (comm == MPI_COMM_NULL) return "native";
    try {
        const State* state = State::existing(comm);
        return state ? state->served_by : "native";
    } catch (const Error&) {
        return "native";
    }
}

/// The header names it where mpi.h has sessions. The preload asks for it whatever mpi.h has: one build serves several
/// releases of a library.
LANEWAY_API int laneway_session_finalize(real::Session* session);
int laneway_session_finalize(real::Session* session)
{
    if (!real::Session_finalize) return MPI_ERR_OTHER;
    return end_session([&] { return real::Session_finalize(session); });
}

int laneway_serves_requests(void)
{
    try {
        return Request::are_possible();
    } catch (const Error&) {
        return 0;
    }
}

int laneway_set_node(int node)
{
    if (node < -1) return MPI_ERR_ARG;
    set_virtual_node(node);
    return MPI_SUCCESS;
}

const char* laneway_complaint(const char* collective, const char* algorithm)
{
    thread_local std::string complaint;
    if (collective == nullptr || algorithm == nullptr) return "a name is missing";
    try {
        rules_named(collective, algorithm);
        return nullptr;
    } catch (const std::exception& why) {
        complaint = why.what();
        return complaint.c_str();
    }
}

const char* laneway_algorithm(const char* collective, int index)
{
    if (collective == nullptr) return nullptr;
    try {
        return algorithm_at(collective_named(target_of(collective).collective), index);
    } catch (const std::exception&) {
        return nullptr;
    }
}

const char* laneway_registry_json(void)
{
    static const std::string json = registry::json();
    return json.c_str();
}

const char* laneway_version(void) { return LANEWAY_VERSION; }

}  // extern "C"
