// SPDX-License-Identifier: BSD-3-Clause
#include "call/duplicates.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "call/sound/alone.hpp"
#include "library/error.hpp"
#include "library/identity.hpp"
#include "library/quirks.hpp"
#include "library/real.hpp"
#include "library/threads.hpp"
#include "messages/comm.hpp"

namespace laneway {
namespace {

struct Duplicate {
    MPI_Request request;  ///< the library's
    MPI_Comm alone;       ///< where the program's request is answered, with `tag`
    int tag;
    MPI_Comm of;
};

struct UnderWay {
    Mutex mutex;
    std::vector<Duplicate> all;
    std::atomic<std::size_t> any{0};  ///< looked at without the lock
    int next_tag = 0;
};

UnderWay& duplicates()
{
    static auto* const only = new UnderWay;
    return *only;
}

/// A duplication that is under way for as long as this lives, or, once it is kept, until that is taken back.
class Announced {
public:
    Announced() { Comm::expect_others(1); }
    Announced(const Announced&) = delete;
    Announced& operator=(const Announced&) = delete;
    ~Announced()
    {
        if (!kept_) Comm::expect_others(-1);
    }
    void keep() { kept_ = true; }

private:
    bool kept_ = false;
};

MPI_Comm alone_of(MPI_Comm comm) { return Alone(comm).handle(); }

void complete(const Duplicate& one)
{
    MPI_Request sent = MPI_REQUEST_NULL;
    check(PMPI_Isend(nullptr, 0, MPI_BYTE, 0, one.tag, one.alone, &sent));
    check(real::Request_free(&sent));
}

}  // namespace

int Duplicates::begin(MPI_Comm comm, MPI_Request* request, const Begin& begin,
                      bool (*are_carried_on)())
{
    if (!quirks().makes_one_communicator_at_a_time || !request) return begin(request);
    // The one to answer on is made now if ever: it is a communicator, too.
    const MPI_Comm alone = alone_of(comm);
    // With sessions alone it may be freed with the communicator that bears it, before the answer.
    const bool is_heard = alone != MPI_COMM_NULL && world_is_there() && are_carried_on();
    Announced announced;
    Duplicate its{MPI_REQUEST_NULL, alone, 0, comm};
    const int code = begin(is_heard ? &its.request : request);
    if (code != MPI_SUCCESS) return code;
    announced.keep();  // for ever, where nobody says that it is over
    if (!is_heard) return code;
    constexpr int tags = 32767;
    UnderWay& now = duplicates();
    const std::scoped_lock lock(now.mutex);
    its.tag = 1 + now.next_tag++ % tags;
    check(PMPI_Irecv(nullptr, 0, MPI_BYTE, 0, its.tag, alone, request));
    now.all.push_back(its);
    now.any = now.all.size();
    return code;
}

void Duplicates::finish(MPI_Comm comm)
{
    UnderWay& now = duplicates();
    const auto are_over = [&] {
        if (now.any.load(std::memory_order_relaxed) == 0) return true;
        const std::scoped_lock lock(now.mutex);
        return std::ranges::find(now.all, comm, &Duplicate::of) == now.all.end();
    };
    while (!are_over()) {
        carry_on();
        std::this_thread::yield();
    }
}

int Duplicates::carry_on()
{
    UnderWay& now = duplicates();
    if (now.any.load(std::memory_order_relaxed) == 0) return 0;
    const std::unique_lock lock(now.mutex, std::try_to_lock);
    if (!lock) return 0;
    const auto over = std::erase_if(now.all, [](Duplicate& one) {
        int done = 0;
        check(real::Test(&one.request, &done, MPI_STATUS_IGNORE));
        if (!done) return false;
        Comm::expect_others(-1);
        complete(one);
        return true;
    });
    now.any = now.all.size();
    return static_cast<int>(over);
}

}  // namespace laneway
