// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/scratch.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "mpi/recording.hpp"

namespace laneway {
namespace {

thread_local std::size_t held = 0;
thread_local std::size_t most = 0;

}  // namespace

void Scratch::Free::operator()(void* memory) const { std::free(memory); }

Scratch::Scratch(std::int64_t count, MPI_Datatype type) : buffer_(Buffer::of(nullptr, count, type))
{
    if (count == 0) {
        // An address all the same: null is MPI_BOTTOM, which may be another buffer of the call.
        static char nothing = 0;
        buffer_.data = &nothing;
        return;
    }
    const auto [lower_bound, true_extent] = true_extent_of(type);
    // Elements need not ascend: with a negative extent the last one lies lowest.
    const MPI_Aint last = (count - 1) * buffer_.extent;
    const MPI_Aint lowest = lower_bound + std::min<MPI_Aint>(0, last);
    bytes_ = static_cast<std::size_t>(true_extent + std::abs(last));
    if (Recording* const recording = Recording::current()) {
        // Elements without data are somewhere, too: two buffers at one address mean something else.
        bytes_ = std::max<std::size_t>(bytes_, 1);
        recorded_ = recording->allocate(bytes_);
        buffer_.data = advanced(recorded_, -lowest);
        return;
    }
    memory_.reset(std::malloc(std::max<std::size_t>(bytes_, 1)));
    if (!memory_) throw std::bad_alloc();
    buffer_.data = advanced(memory_.get(), -lowest);

    held += bytes_;
    most = std::max(most, held);
}

Scratch::~Scratch()
{
    if (memory_) held -= bytes_;
    if (recorded_) Recording::current()->give_back(recorded_, bytes_);
}

std::size_t Scratch::peak() { return most; }

void Scratch::reset_peak() { most = held; }

}  // namespace laneway
