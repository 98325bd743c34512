// SPDX-License-Identifier: BSD-3-Clause
#include "messages/flow.hpp"

#include <algorithm>
#include <mutex>
#include <set>

#include "data/datatype.hpp"
#include "data/packing.hpp"
#include "library/real.hpp"

namespace laneway {
namespace {

/// Bytes of a unit. Each message counts as 4 KiB or more, which is about the memory that libraries keep it in.
constexpr std::int64_t unit = 512 << 10;
constexpr std::int64_t least = 4 << 10;

/// Longer messages wait for the receiver in most libraries anyway, which makes a copy useless.
constexpr std::int64_t copied_at_most = 16 << 10;

}  // namespace

struct Flow::All {
    std::mutex mutex;
    std::set<Flow*> flows;
    std::vector<Copy> left;  ///< copies of communicators that were freed
};

Flow::All& Flow::all()
{
    static auto* const only = new All;  // MPI may end after our destructors
    return *only;
}

Flow::Flow(int size)
    : since_(std::make_unique<std::atomic<std::int64_t>[]>(static_cast<std::size_t>(size)))
{
    const std::scoped_lock lock(all().mutex);
    all().flows.insert(this);
}

Flow::~Flow()
{
    const std::scoped_lock lock(all().mutex);
    all().flows.erase(this);
}

int Flow::send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* request)
{
    std::atomic<std::int64_t>& since = since_[static_cast<std::size_t>(to)];
    const std::int64_t bytes = std::max(least, count * size_of(type));
    if (since.fetch_add(bytes, std::memory_order_relaxed) + bytes < unit) [[likely]]
        return PMPI_Isend(data, count, type, to, tag, comm, request);
    // Another thread is at the copies, or this one further up, where the library's progress has led back here.
    if (copying_.test_and_set(std::memory_order_acquire))
        return PMPI_Issend(data, count, type, to, tag, comm, request);
    const int code = send_synchronously(data, count, type, to, tag, comm, request);
    copying_.clear(std::memory_order_release);
    return code;
}

int Flow::send_synchronously(const void* data, int count, MPI_Datatype type, int to, int tag,
                             MPI_Comm comm, MPI_Request* request)
{
    Copy& copy = copies_[to];
    int received = 0;
    if (const int code = real::Test(&copy.request, &received, MPI_STATUS_IGNORE)) return code;
    if (received) since_[static_cast<std::size_t>(to)].store(0, std::memory_order_relaxed);
    const std::int64_t bytes = count * size_of(type);
    // MPICH 4.0 takes packed elements with gaps (MPI_DOUBLE_INT) for more than their receiver asks for.
    if (!received || bytes > copied_at_most || !is_gap_free(type))
        return PMPI_Issend(data, count, type, to, tag, comm, request);
    const Elements elements{const_cast<void*>(data), count, type, comm};
    std::int64_t packed = 0, room = 0;
    if (const int code = packed_room(elements, room)) return code;
    // Elements without data want a place, too: Open MPI takes none for an error.
    copy.bytes.resize(
        std::max({copy.bytes.size(), static_cast<std::size_t>(room), std::size_t{1}}));
    if (const int code = pack(elements, copy.bytes.data(), room, packed)) return code;
    *request = MPI_REQUEST_NULL;
    return PMPI_Issend(copy.bytes.data(), static_cast<int>(packed), MPI_PACKED, to, tag, comm,
                       &copy.request);
}

bool Flow::is_received(Copy& copy)
{
    int received = 0;
    return real::Test(&copy.request, &received, MPI_STATUS_IGNORE) != MPI_SUCCESS || received;
}

void Flow::leave()
{
    const std::scoped_lock lock(all().mutex);
    std::vector<Copy>& left = all().left;
    for (auto& [to, copy] : copies_) left.push_back(std::move(copy));
    copies_.clear();
    std::erase_if(left, is_received);
}

void Flow::finish_all()
{
    std::vector<Copy> left;
    {
        const std::scoped_lock lock(all().mutex);
        left.swap(all().left);
        for (Flow* const flow : all().flows) {
            for (auto& [to, copy] : flow->copies_) left.push_back(std::move(copy));
            flow->copies_.clear();
        }
    }
    for (Copy& copy : left) real::Wait(&copy.request, MPI_STATUS_IGNORE);
}

}  // namespace laneway
