// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

/// The file of a process's flight recorder, as it lies in memory: version 1 of it. `python/laneway/watching/file.py`
/// reads it while the process runs, and when it does no more. All numbers are of this machine's byte order.
namespace laneway::flight {

/// A row of entries of equal length.
struct Section {
    std::uint64_t at;  ///< bytes from the start of the file
    std::uint32_t bytes;
    std::uint32_t entries;
};

struct Header {
    std::array<char, 8> magic;  ///< "LANEWAYF"
    std::uint32_t version;
    std::uint32_t bytes;
    Section
        functions;  ///< JSON, one entry a byte: the functions by their numbers, see functions.hpp
    Section words;  ///< names of types and operators, by their numbers less 1
    Section communicators;
    Section threads;
    Section records;  ///< record i lies in entry i modulo their number
    Section rows;     ///< rows of bytes by rank, likewise
    std::int64_t
        begun;  ///< this and all times: nanoseconds of CLOCK_MONOTONIC_COARSE, which a node's processes share
    std::atomic<std::uint64_t> next_record;
    std::atomic<std::uint64_t> next_word_of_rows;
    std::int32_t process;
    std::int32_t rank;  ///< in MPI_COMM_WORLD; negative: not known yet
    std::int32_t size;
    std::uint32_t ended;  ///< 1: MPI_Finalize has returned
    std::array<char, 256> node;
    std::array<char, 256> job;    ///< the folder of its watch; empty: none
    std::array<char, 128> world;  ///< the launcher's name for the job
};

/// Ranks of a communicator's processes in MPI_COMM_WORLD: from `first` to `last` in steps.
struct Ranks {
    std::int32_t first;
    std::int32_t last;
    std::int32_t step;
};

struct Communicator {
    std::uint64_t identity;             ///< a number that all its processes have for it
    std::atomic<std::uint64_t> number;  ///< the number of its next collective
    std::int64_t made;
    std::int32_t size;  ///< processes of both groups
    std::int32_t rank;
    std::uint32_t is_inter : 1;
    std::uint32_t is_alone
        : 1;  ///< its identity is the process's own: nobody knows how it came about
    std::uint32_t is_freed : 1;
    std::uint32_t runs;  ///< runs of ranks; where there are too many, the first ones are kept
    std::array<Ranks, 16> ranks;
    std::uint64_t by_number;  ///< the call that made it, on its parent
    std::uint32_t by;         ///< that function's number, not its form's, plus 1; 0: nobody knows
    std::uint32_t parent;
    std::array<char, 8> unused;
};

/// A call, no collective, that a thread is in.
struct Thread {
    std::atomic<std::uint32_t> function;  ///< its number plus 1; 0: none
    std::uint32_t communicator;
    std::int32_t partner;
    std::int32_t tag;
    std::int64_t time;
    std::uint32_t thread;  ///< the system's number of it; 0: the entry is free
    std::array<std::uint32_t, 9> unused;
};

enum class State : std::uint8_t {
    entered = 1,  ///< the call is under way, which waits
    begun,        ///< nonblocking: it has returned
    waited,       ///< a call that completes it is under way
    polled,       ///< it was tested, and had not ended
    done,
};

enum Flag : std::uint8_t { sent_row = 1, received_row = 2 };

struct Record {
    std::atomic<std::uint64_t> index;  ///< its number plus 1; 0 while it is written
    std::uint64_t number;              ///< on the communicator
    std::int64_t bytes;                ///< negative: not known
    std::int64_t time;                 ///< when it was entered
    std::atomic<std::int64_t> seen;    ///< when it was waited for or tested last
    std::uint32_t communicator;        ///< entry
    std::int32_t root;                 ///< negative: none, as MPI_ROOT and MPI_PROC_NULL
    std::uint32_t thread;
    std::uint32_t row;  ///< first word of its rows, modulo 2^32; of a start: which one it is
    std::uint16_t function;
    std::uint16_t op;         ///< word
    std::uint16_t signature;  ///< word of the one type in its data; above 0x8000 a hash of several
    std::atomic<State> state;
    std::uint8_t flags;
};

using Name = std::array<char, 64>;

static_assert(sizeof(Record) == 64 && sizeof(Thread) == 64 && sizeof(Communicator) == 256);

constexpr std::uint32_t records = 1024, communicators = 4096, threads = 64, words = 256,
                        words_of_rows = 1U << 16U;

/// A file of this process, mapped. Its name is `laneway-flight`, and its mode is 0600. It has no place in a file system:
/// it is gone with the last process that has it open or mapped.
class File {
public:
    /// Null where the system has no memory, or no file descriptor, for it.
    static std::unique_ptr<File> make(std::string_view functions);

    Header& header() { return *at<Header>(0); }
    Record& record(std::uint64_t index) { return at<Record>(records_at)[index % records]; }
    Communicator& communicator(std::uint32_t slot)
    {
        return at<Communicator>(communicators_at)[slot];
    }
    Thread& thread(std::uint32_t slot) { return at<Thread>(threads_at)[slot]; }
    Name& word(std::uint32_t slot) { return at<Name>(words_at)[slot]; }
    std::int64_t& word_of_row(std::uint64_t index)
    {
        return at<std::int64_t>(rows_at)[index % words_of_rows];
    }

private:
    explicit File(std::byte* data) : data_(data) {}

    template <class Entry>
    Entry* at(std::size_t offset)
    {
        return reinterpret_cast<Entry*>(data_ + offset);
    }

    static constexpr std::size_t functions_at = 4096, bytes_of_functions = 1U << 15U;
    static constexpr std::size_t words_at = functions_at + bytes_of_functions;
    static constexpr std::size_t communicators_at = words_at + words * sizeof(Name);
    static constexpr std::size_t threads_at =
        communicators_at + communicators * sizeof(Communicator);
    static constexpr std::size_t records_at = threads_at + threads * sizeof(Thread);
    static constexpr std::size_t rows_at = records_at + records * sizeof(Record);
    static constexpr std::size_t bytes = rows_at + words_of_rows * sizeof(std::int64_t);

    std::byte* data_;  ///< never unmapped: threads may call MPI to the end
};

/// Text in an array, cut where it does not fit.
template <std::size_t length>
void put(std::array<char, length>& into, std::string_view text)
{
    into.fill('\0');
    text.copy(into.data(), length - 1);
}

}  // namespace laneway::flight
