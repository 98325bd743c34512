// SPDX-License-Identifier: BSD-3-Clause
#include "data/held.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <type_traits>
#include <unordered_map>

#include "data/datatype.hpp"
#include "library/progress.hpp"
#include "library/real.hpp"
#include "library/users.hpp"

namespace laneway {
namespace {

template <class Kind>
constexpr bool is_operator = std::is_same_v<Kind, Operator>;

struct Uses {
    int operations = 0;
    int frees = 0;  ///< by the user: MPI_Type_get_contents may have given out the same handle again
};

/// The handles of one kind that are held.
template <class Kind>
struct Table {
    std::mutex mutex;
    std::unordered_map<typename Kind::Handle, Uses> uses;
    std::atomic<std::size_t> handles{0};  ///< looked at without the lock
};

/// The table of one kind, never destroyed: a program may free handles from a destructor that runs after ours.
template <class Kind>
Table<Kind>& table()
{
    static auto* const only = new Table<Kind>;
    return *only;
}

template <class Kind>
bool lives_for_ever(typename Kind::Handle handle)
{
    if constexpr (is_operator<Kind>) {
        const auto predefined = {MPI_SUM,    MPI_MAX,    MPI_MIN,    MPI_PROD, MPI_LAND,
                                 MPI_BAND,   MPI_LOR,    MPI_BOR,    MPI_LXOR, MPI_BXOR,
                                 MPI_MINLOC, MPI_MAXLOC, MPI_REPLACE};
        return std::ranges::find(predefined, handle) != predefined.end();
    } else {
        return is_named(handle);
    }
}

template <class Kind>
int free_now(typename Kind::Handle* handle)
{
    if constexpr (is_operator<Kind>)
        return real::Op_free(handle);
    else
        return real::Type_free(handle);
}

}  // namespace

template <class Kind>
Held<Kind>::Held(Handle handle) : handle_(handle),
                                  holds_(!lives_for_ever<Kind>(handle))
{
    if (!holds_) return;
    auto& all = table<Kind>();
    const std::scoped_lock lock(all.mutex);
    ++all.uses[handle].operations;
    all.handles = all.uses.size();
}

template <class Kind>
Held<Kind>::~Held()
{
    if (!holds_) return;
    auto& all = table<Kind>();
    int frees = 0;
    {
        const std::scoped_lock lock(all.mutex);
        const auto place = all.uses.find(handle_);
        if (--place->second.operations > 0) return;
        frees = place->second.frees;
        all.uses.erase(place);
        all.handles = all.uses.size();
    }
    // Without the lock: freeing a type calls functions of the user's.
    const progress::Inside not_ours(false);
    for (; frees > 0; --frees) {
        Handle handle = handle_;
        users::keep([&] { free_now<Kind>(&handle); });
    }
}

template <class Kind>
int Held<Kind>::free(Handle* handle)
{
    auto& all = table<Kind>();
    if (handle && all.handles > 0) {
        const std::scoped_lock lock(all.mutex);
        const auto place = all.uses.find(*handle);
        if (place != all.uses.end()) {
            ++place->second.frees;
            if constexpr (is_operator<Kind>)
                *handle = MPI_OP_NULL;
            else
                *handle = MPI_DATATYPE_NULL;
            return MPI_SUCCESS;
        }
    }
    return free_now<Kind>(handle);
}

template class Held<Operator>;
template class Held<Type>;

}  // namespace laneway
