// SPDX-License-Identifier: BSD-3-Clause
#include "flight/recorder.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <string>

#include "flight/watcher.hpp"
#include "library/identity.hpp"
#include "library/threads.hpp"
#include "machine/node.hpp"
#include "text/text.hpp"

namespace laneway::flight {
namespace {

/// A thread's memory, which gives its place back when the thread ends. Behind a pointer: a core that is opened late
/// has little room for such variables.
struct Owner {
    std::unique_ptr<Memory> memory;
    ~Owner();
};
thread_local Memory* own_memory __attribute__((tls_model("initial-exec"))) = nullptr;
thread_local Owner owner;

Owner::~Owner()
{
    if (memory && memory->place) memory->place->thread = 0;
    own_memory = nullptr;
}

/// One of `places`, a power of two (Fibonacci hashing: the top bits are the good ones).
std::size_t hash(std::int64_t handle, std::size_t places)
{
    return (static_cast<std::uint64_t>(handle) * 0x9e3779b97f4a7c15U >> 58U) % places;
}

constexpr const Function* by_group = find("comm_create_group");

}  // namespace

bool Recorder::make()
{
    // All functions are recorded, or none.
    static const bool is_made = [] {
        auto file = File::make(functions_in_json());
        if (!file) say("no memory for the flight recorder: a watch sees nothing of this process");
        own_ = file ? new Recorder(std::move(file)) : nullptr;
        return own_ != nullptr;
    }();
    return is_made;
}

Recorder::Recorder(std::unique_ptr<File> file)
    : file_(std::move(file)),
      communicators_(*file_),
      signatures_(*file_)
{
    Header& header = file_->header();
    header.begun = now();
    header.rank = world_rank().value_or(-1);
    const Place place = this_place();
    put(header.node, place.node);
    put(header.job, place.job);
    put(header.world, place.world);
    start_watcher(place);
}

/// The system is asked for the thread's number once.
Memory& Recorder::memory()
{
    if (own_memory) [[likely]]
        return *own_memory;
    owner.memory = std::make_unique<Memory>();
    own_memory = owner.memory.get();
    own_memory->thread = static_cast<std::uint32_t>(syscall(SYS_gettid));
    find_place(*own_memory);
    return *own_memory;
}

void Recorder::find_place(Memory& memory)
{
    static std::mutex mutex;
    const std::scoped_lock lock(mutex);
    for (std::uint32_t slot = 0; slot < threads && !memory.place; ++slot)
        if (file_->thread(slot).thread == 0) memory.place = &file_->thread(slot);
    if (!memory.place) return;
    memory.place->function.store(0, std::memory_order_relaxed);
    memory.place->thread = memory.thread;
}

void Recorder::learn_world()
{
    if (!world_is_there()) return;
    file_->header().rank = world_rank().value_or(-1);
    file_->header().size = world_size();
    has_threads_ = may_ever_call_in_threads();
    knows_world_ = true;
}

std::uint64_t Recorder::next_record()
{
    auto& next = file_->header().next_record;
    if (has_threads_) return next.fetch_add(1, std::memory_order_relaxed);
    const std::uint64_t index = next.load(std::memory_order_relaxed);
    next.store(index + 1, std::memory_order_relaxed);
    return index;
}

std::unique_lock<std::mutex> Recorder::lock_requests()
{
    std::unique_lock lock(requests_mutex_, std::defer_lock);
    if (has_threads_) lock.lock();
    return lock;
}

const Known* Recorder::known(Memory& memory, MPI_Comm comm)
{
    const std::int64_t handle = number_of(comm);
    auto& place = memory.communicators[hash(handle, memory.communicators.size())];
    const unsigned changes = communicators_.changes();
    if (place.known && place.comm == comm && place.changes == changes) [[likely]]
        return place.known;
    const Known* const known = communicators_.of(comm);
    place = {comm, known, communicators_.changes()};
    return known;
}

TypeFacts Recorder::facts(Memory& memory, MPI_Datatype type)
{
    auto& place = memory.types[hash(number_of(type), memory.types.size())];
    const unsigned changes = signatures_.changes();
    if (place.facts.size > 0 && place.type == type && place.changes == changes) [[likely]]
        return place.facts;
    place = {type, signatures_.of(type), changes};
    return place.facts;
}

/// The operators of MPI keep their handles, and all others are one word.
std::uint16_t Recorder::word_of(Memory& memory, MPI_Op op)
{
    auto& place = memory.ops[hash(number_of(op), memory.ops.size())];
    if (place.word > 0 && place.op == op) [[likely]]
        return place.word;
    place = {op, signatures_.of_op(op)};
    return place.word;
}

/// Begins a record, which nobody reads before its index is there.
Record& Recorder::begin(std::uint64_t index, const Called& called, std::uint32_t communicator,
                        std::uint64_t number)
{
    Record& record = file_->record(index);
    record.index.store(0, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    record.number = number;
    record.bytes = 0;
    record.time = now();
    record.seen.store(0, std::memory_order_relaxed);
    record.communicator = communicator;
    record.root = -1;
    record.row = 0;
    record.function = called.code();
    record.op = 0;
    record.signature = 0;
    record.flags = 0;
    record.state.store(State::entered, std::memory_order_relaxed);
    return record;
}

Recorder::Entered Recorder::enter(const Called& called, const Word* arguments)
{
    if (!knows_world_) [[unlikely]]
        learn_world();
    Memory& own = memory();
    const Function& its = *called.function;
    const MPI_Comm comm =
        its.comm ? handle_in<MPI_Comm>(arguments[place(its.comm)]) : MPI_COMM_WORLD;
    const Known* const its_comm = comm == MPI_COMM_NULL ? nullptr : known(own, comm);
    const std::uint64_t index = next_record();
    // Processes that are not in the new group do not come: the call has no number.
    const bool counts = its_comm && &its != by_group;
    std::uint64_t number = 0;
    if (counts) {
        // The calls on a communicator come one after the other: two threads never count at once.
        auto& next = file_->communicator(its_comm->slot).number;
        number = next.load(std::memory_order_relaxed);
        next.store(number + 1, std::memory_order_relaxed);
    }
    Record& record = begin(index, called, counts ? its_comm->slot : communicators, number);
    record.thread = own.thread;
    if (its_comm) describe(record, own, called, arguments, *its_comm);
    record.index.store(index + 1, std::memory_order_release);
    return {&record, index};
}

void Recorder::leave(const Entered& entered, const Called& called, const Word* arguments, int code)
{
    const Function& its = *called.function;
    const bool goes_on = code == MPI_SUCCESS && called.completes_later();
    entered.set(goes_on ? State::begun : State::done);
    if (code != MPI_SUCCESS) return;
    const MPI_Comm comm =
        its.comm ? handle_in<MPI_Comm>(arguments[place(its.comm)]) : MPI_COMM_NULL;
    if (its.made && arguments[place(its.made)] != 0) {
        const Record* const record = entered.existing();
        const Known* const parent = known(*own_memory, comm);
        if (record && parent)
            communicators_.add(its, *parent, record->number,
                               its.tag ? static_cast<int>(arguments[place(its.tag)]) : 0,
                               *reinterpret_cast<MPI_Comm*>(arguments[place(its.made)]));
    }
    if (!goes_on && called.form != Form::persistent) return;
    // The request is the last argument, which follows what the blocking form has, or the new communicator.
    const Record* const record = entered.existing();
    std::size_t last = place(its.made ? its.made : its.comm) + 1;
    if (called.form == Form::persistent) ++last;  // an info
    const auto* const request = reinterpret_cast<const MPI_Request*>(arguments[last]);
    if (!record || !request || *request == MPI_REQUEST_NULL) return;
    const auto lock = lock_requests();
    requests_.insert({number_of(*request),
                      entered.index,
                      called.form == Form::persistent,
                      {called.function, Form::start, called.large},
                      record->number,
                      record->communicator,
                      0});
    pending_.store(requests_.size(), std::memory_order_relaxed);
}

}  // namespace laneway::flight
