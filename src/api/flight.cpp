// SPDX-License-Identifier: BSD-3-Clause
// For the preload that records: functions which write a call down and hand it on.
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "api/handing_on.hpp"
#include "call/communicator/entrance.hpp"
#include "flight/recorder.hpp"
#include "library/interposed.h"

namespace laneway::flight {

namespace {

/// A function of the preload's under the name MPI_X, or under PMPI_X: each hands its calls on to another one. Where
/// a call passes through both it is one call, as is whatever a collective calls inside.
template <class Of, bool under_pmpi, class Arguments>
class Recorded;

template <class Of, bool under_pmpi, std::size_t... i>
class Recorded<Of, under_pmpi, std::index_sequence<i...>> {
public:
    static inline int (*next)(AWord<i>...) = nullptr;

    static int call(AWord<i>... argument)
    {
        const Word arguments[] = {argument..., 0};
        return Of::record(arguments, [&] { return next(argument...); });
    }
};

using Inside = EntranceOf<struct Flight>;

/// A collective; of MPI_Finalize, that it is over.
template <class Of>
struct Collective {
    template <class Next>
    [[gnu::always_inline]] static int record(const Word* arguments, const Next& next)
    {
        const Inside entrance;
        if (!entrance.outermost()) return next();
        struct Recording {
            const Word* arguments;
            Recorder::Entered entered = Recorder::own().enter(Of::called, arguments);
            int code = MPI_ERR_OTHER;  // where an exception of the program's ends the call
            ~Recording()
            {
                if constexpr (Of::called.form == Form::blocking && !Of::called.function->made)
                    entered.set(State::done);
                else
                    Recorder::own().leave(entered, Of::called, arguments, code);
            }
        } recording{arguments};
        return recording.code = next();
    }
};

/// A message, or another call that may wait.
template <class Of>
struct Waiting {
    template <class Next>
    [[gnu::always_inline]] static int record(const Word* arguments, const Next& next)
    {
        const Inside entrance;
        if (!entrance.outermost()) return next();  // a message of a collective's
        const Recorder::Being being(Recorder::own(), Of::called, arguments);
        return next();
    }
};

struct Ends {
    template <class Next>
    static int end(const Called& called, const Word* arguments, const Next& next)
    {
        auto* const comm = reinterpret_cast<MPI_Comm*>(arguments[0]);
        if (!comm || *comm == MPI_COMM_NULL) return next();
        const MPI_Comm before = *comm;
        const Recorder::Being being(Recorder::own(), called, arguments);
        Communicators::Freeing freeing(Recorder::own().known_communicators(), before);
        const int code = next();
        freeing.over(code == MPI_SUCCESS);
        return code;
    }
};

/// @name Functions that complete requests: how many there are, where, and which are complete
/// @{
template <class Over, class Next>
int complete(const Called* waits, int count, Word requests, const Word* arguments, const Next& next,
             const Over& completed)
{
    const auto* const all = reinterpret_cast<const MPI_Request*>(requests);
    const auto record = [&] {
        Recorder::Completing completing(Recorder::own(), all ? count : 0, all, !waits);
        const int code = next();
        completing.over([&](int at) { return code == MPI_SUCCESS && completed(at); });
        return code;
    };
    if (!waits) return record();
    const Recorder::Being being(Recorder::own(), *waits, arguments);
    return record();
}

int number_at(Word address) { return *reinterpret_cast<const int*>(address); }

bool is_among(Word count, Word indices, int at)
{
    const int many = number_at(count);
    const int* const first = reinterpret_cast<const int*>(indices);
    return many != MPI_UNDEFINED && std::find(first, first + many, at) != first + many;
}
/// @}

#define COLLECTIVE_AS(form, name, lower)                              \
    struct name : Collective<name> {                                  \
        static constexpr Called called = flight::called(lower, form); \
    };
#define BLOCKING(name, lower, ...) COLLECTIVE_AS(Form::blocking, name, #lower)
#define NONBLOCKING(name, lower, ...) COLLECTIVE_AS(Form::nonblocking, name, #lower)
#define PERSISTENT(name, lower, ...) COLLECTIVE_AS(Form::persistent, name, #lower)
#define WAITING(name, lower, ...)                                                \
    struct name : Waiting<name> {                                                \
        static constexpr Called called = flight::called(#lower, Form::blocking); \
    };

/// The functions, a type each.
namespace of {

LANEWAY_WITH_COUNTS(LANEWAY_BLOCKING, BLOCKING)
LANEWAY_WITH_COUNTS(LANEWAY_BLOCKING_C, BLOCKING)
LANEWAY_WITH_COUNTS(LANEWAY_NONBLOCKING, NONBLOCKING)
LANEWAY_WITH_COUNTS(LANEWAY_NONBLOCKING_C, NONBLOCKING)
LANEWAY_WITH_COUNTS(LANEWAY_PERSISTENT, PERSISTENT)
LANEWAY_WITH_COUNTS(LANEWAY_PERSISTENT_C, PERSISTENT)
LANEWAY_BARRIER(LANEWAY_BLOCKING, BLOCKING)
LANEWAY_BARRIER(LANEWAY_NONBLOCKING, NONBLOCKING)
LANEWAY_BARRIER(LANEWAY_PERSISTENT, PERSISTENT)
LANEWAY_DUPLICATES(LANEWAY_BLOCKING, BLOCKING)
LANEWAY_MAKERS(LANEWAY_BLOCKING, BLOCKING)
LANEWAY_MESSAGES(LANEWAY_BLOCKING, WAITING)

struct Finalize {
    static constexpr Called called = flight::called("finalize", Form::blocking);
    struct Last : Collective<Last> {
        static constexpr Called called = Finalize::called;
    };
    template <class Next>
    static int record(const Word* arguments, const Next& next)
    {
        const int code = Last::record(arguments, next);
        Recorder::own().end();
        return code;
    }
};

struct Comm_free {
    template <class Next>
    static int record(const Word* arguments, const Next& next)
    {
        static constexpr Called called = flight::called("comm_free", Form::blocking);
        return Ends::end(called, arguments, next);
    }
};
struct Comm_disconnect {
    template <class Next>
    static int record(const Word* arguments, const Next& next)
    {
        static constexpr Called called = flight::called("comm_disconnect", Form::blocking);
        return Ends::end(called, arguments, next);
    }
};

struct Type_free {
    template <class Next>
    static int record(const Word*, const Next& next)
    {
        Recorder::own().forget_types();
        const int code = next();
        Recorder::own().forget_types();
        return code;
    }
};

struct Start {
    template <class Next>
    static int record(const Word* arguments, const Next& next)
    {
        Recorder::own().start({reinterpret_cast<const MPI_Request*>(arguments[0]), 1});
        return next();
    }
};
struct Startall {
    template <class Next>
    static int record(const Word* arguments, const Next& next)
    {
        Recorder::own().start({reinterpret_cast<const MPI_Request*>(arguments[1]),
                               static_cast<std::size_t>(static_cast<int>(arguments[0]))});
        return next();
    }
};
struct Request_free {
    template <class Next>
    static int record(const Word* arguments, const Next& next)
    {
        Recorder::own().forget_request(*reinterpret_cast<const MPI_Request*>(arguments[0]));
        return next();
    }
};

#define COMPLETES(name, waits, count, requests, completed)                                   \
    struct name {                                                                            \
        template <class Next>                                                                \
        static int record(const Word* a, const Next& next)                                   \
        {                                                                                    \
            return complete(waits, static_cast<int>(count), requests, a, next, [&](int at) { \
                static_cast<void>(at);                                                       \
                return completed;                                                            \
            });                                                                              \
        }                                                                                    \
    };
#define WAITS(lower)                                                            \
    [] {                                                                        \
        static constexpr Called called = flight::called(lower, Form::blocking); \
        return &called;                                                         \
    }()
COMPLETES(Wait, WAITS("wait"), 1, a[0], true)
COMPLETES(Waitall, WAITS("waitall"), a[0], a[1], true)
COMPLETES(Waitany, WAITS("waitany"), a[0], a[1], number_at(a[2]) == at)
COMPLETES(Waitsome, WAITS("waitsome"), a[0], a[1], is_among(a[2], a[3], at))
COMPLETES(Test, nullptr, 1, a[0], number_at(a[1]) != 0)
COMPLETES(Testall, nullptr, a[0], a[1], number_at(a[2]) != 0)
COMPLETES(Testany, nullptr, a[0], a[1], number_at(a[3]) != 0 && number_at(a[2]) == at)
COMPLETES(Testsome, nullptr, a[0], a[1], is_among(a[2], a[3], at))

}  // namespace of

struct Entry {
    const char* mpi;
    AnyFunction* (*take_mpi)(AnyFunction* next);
    AnyFunction* (*take_pmpi)(AnyFunction* next);
};

#define ENTRY(name, lower, n, ...)                                                        \
    {"MPI_" #name, handing_on_to<Recorded<of::name, false, std::make_index_sequence<n>>>, \
     handing_on_to<Recorded<of::name, true, std::make_index_sequence<n>>>},

constexpr Entry entries[] = {
    LANEWAY_WITH_COUNTS(LANEWAY_BLOCKING, ENTRY) LANEWAY_WITH_COUNTS(LANEWAY_BLOCKING_C, ENTRY)
        LANEWAY_WITH_COUNTS(LANEWAY_NONBLOCKING, ENTRY) LANEWAY_WITH_COUNTS(
            LANEWAY_NONBLOCKING_C, ENTRY) LANEWAY_WITH_COUNTS(LANEWAY_PERSISTENT, ENTRY)
            LANEWAY_WITH_COUNTS(LANEWAY_PERSISTENT_C, ENTRY)
                LANEWAY_BARRIER(LANEWAY_BLOCKING, ENTRY) LANEWAY_BARRIER(LANEWAY_NONBLOCKING, ENTRY)
                    LANEWAY_BARRIER(LANEWAY_PERSISTENT, ENTRY)
                        LANEWAY_DUPLICATES(LANEWAY_BLOCKING, ENTRY) LANEWAY_RECORDED(ENTRY)
                            LANEWAY_COMPLETIONS(LANEWAY_BLOCKING, ENTRY)
                                LANEWAY_ENDS(LANEWAY_BLOCKING, ENTRY) ENTRY(Start, start, 1) ENTRY(
                                    Startall, startall, 2) ENTRY(Request_free, request_free, 1)
                                    ENTRY(Type_free, type_free, 1)};

}  // namespace

/// For the preload that records. The function that is returned writes calls of the MPI function `mpi` down, and hands
/// them on to `next`. It stands for MPI_X or for PMPI_X. Null where calls are not recorded.
extern "C" __attribute__((visibility("default"))) AnyFunction* laneway_recording(const char* mpi,
                                                                                 int under_pmpi,
                                                                                 AnyFunction* next)
{
    if (!Recorder::make()) return nullptr;
    for (const Entry& entry : entries)
        if (std::strcmp(entry.mpi, mpi) == 0)
            return (under_pmpi ? entry.take_pmpi : entry.take_mpi)(next);
    return nullptr;
}

}  // namespace laneway::flight
