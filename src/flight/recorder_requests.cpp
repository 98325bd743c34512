// SPDX-License-Identifier: BSD-3-Clause
// Requests of recorded collectives, and calls that are no collectives.
#include "flight/recorder.hpp"

namespace laneway::flight {

void Recorder::start(std::span<const MPI_Request> requests)
{
    if (pending_.load(std::memory_order_relaxed) == 0) return;
    const auto lock = lock_requests();
    for (const MPI_Request request : requests) {
        Pending* const one = requests_.find(number_of(request));
        if (!one || !one->is_persistent) continue;
        one->record = next_record();
        Record& record = begin(one->record, one->called, one->communicator, one->number);
        record.thread = memory().thread;
        record.row = one->starts++;
        record.state.store(State::begun, std::memory_order_relaxed);
        record.index.store(one->record + 1, std::memory_order_release);
    }
}

void Recorder::forget_request(MPI_Request request)
{
    if (pending_.load(std::memory_order_relaxed) == 0) return;
    const auto lock = lock_requests();
    if (Pending* const one = requests_.find(number_of(request))) requests_.erase(*one);
    pending_.store(requests_.size(), std::memory_order_relaxed);
}

Recorder::Completing::Completing(Recorder& recorder, int count, const MPI_Request* requests,
                                 bool tests)
    : recorder_(recorder),
      requests_(requests),
      tests_(tests)
{
    if (recorder_.pending_.load(std::memory_order_relaxed) == 0) [[likely]]
        return;
    const auto lock = recorder_.lock_requests();
    for (int at = 0; at < count; ++at) {
        const Pending* const one = recorder_.requests_.find(number_of(requests[at]));
        if (!one) continue;
        const Entered entered = recorder_.entered(one->record);
        if (Record* const its = entered.existing()) {
            // A persistent operation that has not been started again is not waited for.
            if (its->state.load(std::memory_order_relaxed) == State::done) continue;
            its->seen.store(now(), std::memory_order_relaxed);
            entered.set(tests ? State::polled : State::waited);
        }
        ours_.push_back({at, one->handle, one->record, false});
    }
}

Recorder::Completing::~Completing()
{
    if (ours_.empty()) [[likely]]
        return;
    const auto lock = recorder_.lock_requests();
    for (const One& its : ours_) {
        const State left = tests_ ? State::polled : State::begun;
        recorder_.entered(its.record).set(its.done ? State::done : left);
        // Once it is complete its handle may be that of another thread's request.
        Pending* const one = recorder_.requests_.find(its.handle);
        if (its.done && one && one->record == its.record && !one->is_persistent)
            recorder_.requests_.erase(*one);
    }
    recorder_.pending_.store(recorder_.requests_.size(), std::memory_order_relaxed);
}

Recorder::Being::Being(Recorder& recorder, const Called& called, const Word* arguments)
{
    Memory& own = recorder.memory();
    Thread* const its = own.place;
    if (!its || its->function.load(std::memory_order_relaxed) != 0) return;
    const Function& function = *called.function;
    // Whoever reads the new call's time has seen that the former one is over.
    std::atomic_thread_fence(std::memory_order_release);
    its->time = now();
    its->communicator = communicators;
    if (function.comm) {
        const auto comm = handle_in<MPI_Comm>(arguments[place(function.comm)]);
        if (comm != MPI_COMM_NULL)
            if (const Known* const known = recorder.known(own, comm))
                its->communicator = known->slot;
        its->partner = static_cast<int>(arguments[place(function.partner)]);
        its->tag = static_cast<int>(arguments[place(function.tag)]);
    }
    its->function.store(called.code() + 1U, std::memory_order_release);
    place_ = its;
}

}  // namespace laneway::flight
