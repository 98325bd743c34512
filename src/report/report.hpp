// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

/// The report of what was decided: every call of a collective, counted by communicator, collective,
/// size and reason. docs/decisions.md describes its files.
namespace laneway {

/// The report's knowledge of one communicator.
struct ReportedComm {
    std::string id;    ///< equal on all its processes; see State
    std::string name;  ///< the program's name for it
    int ranks = 0;
    int nodes = 0;  ///< 0: not known
    int smallest = 0;
    int largest = 0;
    int lanes = 0;
    std::string_view binding = {};  ///< how its processes share them; empty: not known
    std::string_view cores = {};    ///< how they share cores; empty: not known
};

/// The time of a call, measured where advice is wanted.
struct Times {
    double waited = 0;   ///< seconds before the last process came
    double seconds = 0;  ///< seconds from then on
};

/// One call of a collective, as it was decided.
struct Decision {
    const char* collective;
    std::int64_t bytes;     ///< -1: not known
    const char* algorithm;  ///< "native", or a name of the registry
    std::string_view why;   ///< rule or variable, or the reason to stay native
    Times times = {};
    MPI_Datatype type = MPI_DATATYPE_NULL;  ///< null: not known, or there are no data
    MPI_Op op = MPI_OP_NULL;                ///< null: not known, or no reduction
};

/// The calling process's own report. Safe in several threads.
///
/// With a folder (LANEWAY_REPORT=FOLDER) the numbers are written to its file at every call: nothing
/// is lost where a job is killed. LANEWAY_REPORT=1 prints a table of rank 0 at the end instead.
class Report {
public:
    /// Null: no report is wanted (LANEWAY_REPORT), or its file cannot be written, or this is a child
    /// of the process that reports. Never destroyed: a program may call MPI_Finalize from a destructor
    /// that runs after ours.
    static Report* own();

    /// The numbers of calls that are counted together.
    struct Row {
        std::int64_t calls = 0;
        std::int64_t bytes = 0;
        Times times;
        double elapsed = 0;            ///< seconds in the calls as a whole
        double first = 0, last = 0;    ///< when the first and the last call was counted, in seconds
        std::int64_t numbers_at = -1;  ///< offset of the numbers in the file
    };

    /// A call that is about to be served. Returns its row, which stays where it is.
    Row& count(const ReportedComm& comm, const Decision& decision);
    /// Takes a call of that many bytes back, which was not served so: its row leaves it out again.
    void take_back(Row& row, std::int64_t bytes);
    /// Adds the seconds of a call that no times said before. They get into the file with the row's next call, or at
    /// the end.
    void took(Row& row, double seconds);

    /// Adds times of a call that was counted before, in the same way.
    void add(Row& row, const Times& times);

    /// A call of the communicator was served by lanes of these weights, such as `10:10,node2=10:1`; `found` while the
    /// program ran, or said. To be called by one process of the communicator.
    void count_weights(const ReportedComm& comm, const std::string& weights, bool found);

    /// The calling process was started together with the process of this id. So jobs are told apart where several
    /// write into one folder.
    void same_job_as(std::uint64_t process);

    /// Says what remains to be said: MPI comes to its end, or the process does. That is taken back where another call
    /// is counted: after one session there may be a next.
    void end(const char* how);

    Report(const Report&) = delete;
    Report& operator=(const Report&) = delete;

private:
    explicit Report(const std::string& wanted);

    /// Communicator, collective, size class, algorithm, why.
    using Key = std::tuple<std::string, const char*, int, std::string, std::string>;

    /// The calls that were served by lanes of the same weights.
    struct Weighed {
        std::int64_t calls = 0;
        double first = 0, last = 0;  ///< as in Row
        std::int64_t numbers_at = -1;
    };

    void open_file(const std::string& folder);
    void append(const std::string& line);
    void take_end_back();
    void add_row(const Key& key, const ReportedComm& comm, const Decision& decision, Row& row);
    static void add_times(Row& row, const Times& times);
    void write_numbers(const Row& row) const;
    void write_at(std::int64_t place, const std::string& text) const;
    void print_table() const;

    std::mutex mutex_;
    std::map<Key, Row> rows_;
    std::map<std::pair<std::string, std::string>, Weighed>
        weighed_;  ///< by communicator, and weights
    std::atomic<int> file_ = -1;
    std::int64_t length_ = 0;     ///< length of the file
    std::int64_t ended_at_ = -1;  ///< offset where its end is said
    std::set<std::uint64_t> same_job_;
    bool on_terminal_ = false;
    bool printed_ = false;
    int rank_;
    static std::atomic<int> reporting_;  ///< the process that reports; 0: not known yet
};

/// 0 for no bytes, else the k of 2^(k-1) <= bytes < 2^k; -1 for bytes that are not known.
int size_class(std::int64_t bytes);
/// The first and last number of bytes of a size class.
std::pair<std::int64_t, std::int64_t> bounds_of_size_class(int size);

}  // namespace laneway
