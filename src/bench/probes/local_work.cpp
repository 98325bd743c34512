// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <numeric>
#include <string>

#include "bench/probes/probe.hpp"
#include "bench/text/words.hpp"
#include "library/error.hpp"

/// Work of processes on `count` elements, all processes of all nodes at once. The first process of a node tells the
/// others to begin, and is timed until all processes of its node are done. So cores and memory that processes share
/// are in the time, and more elements take more by the work alone.
///
/// copy     from one place to another
/// reduce   MPI_Reduce_local, a sum
/// pack     MPI_Pack of every other element
namespace laneway::bench {
namespace {

class Work {
public:
    explicit Work(int count) : count_(count), in_(size()), out_(in_.size()) {}
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;
    virtual ~Work() = default;

    void prepare()
    {
        std::iota(in_.begin(), in_.end(), 1);
        std::ranges::fill(out_, 0);
    }
    virtual void run() = 0;
    /// Whether the result is right after one run on prepared memory.
    virtual bool correct() const
    {
        return std::equal(in_.begin(), in_.begin() + count_, out_.begin());
    }

protected:
    std::size_t size() const { return 2 * static_cast<std::size_t>(count_); }

    int count_;
    std::vector<int> in_;
    std::vector<int> out_;
};

class Copy final : public Work {
    using Work::Work;
    void run() override { std::copy_n(in_.begin(), count_, out_.begin()); }
};

class Reduce final : public Work {
    using Work::Work;
    void run() override
    {
        check(MPI_Reduce_local(in_.data(), out_.data(), count_, MPI_INT, MPI_SUM));
    }
};

class Pack final : public Work {
public:
    explicit Pack(int count) : Work(count)
    {
        check(MPI_Type_vector(count, 1, 2, MPI_INT, &every_other_));
        check(MPI_Type_commit(&every_other_));
    }
    ~Pack() override { MPI_Type_free(&every_other_); }
    void run() override
    {
        int position = 0;
        check(MPI_Pack(in_.data(), 1, every_other_, out_.data(),
                       static_cast<int>(out_.size() * sizeof(int)), &position, MPI_COMM_SELF));
    }
    bool correct() const override
    {
        for (std::size_t i = 0; i < out_.size() / 2; ++i)
            if (out_[i] != in_[2 * i]) return false;
        return true;
    }

private:
    MPI_Datatype every_other_ = MPI_DATATYPE_NULL;
};

template <class WorkKind>
std::unique_ptr<Work> make(int count)
{
    return std::make_unique<WorkKind>(count);
}

struct WorkKind {
    const char* name;
    std::unique_ptr<Work> (*make)(int count);
};

constexpr std::array kinds = {WorkKind{"copy", make<Copy>}, WorkKind{"reduce", make<Reduce>},
                              WorkKind{"pack", make<Pack>}};

class LocalWork final : public Pattern {
public:
    LocalWork(const Grid& on, const ProbeCase& at)
        : node_(on.node.handle()),
          local_(on.node.rank()),
          size_(on.node.size()),
          processes_(on.world.size()),
          work_(named(kinds, &WorkKind::name, "unknown local work", at.collective).make(at.count))
    {
        work_->prepare();
    }

    bool counts() const override { return local_ == 0; }

    void exchange() override
    {
        if (local_ > 0) {
            check(MPI_Recv(nullptr, 0, MPI_INT, 0, 0, node_, MPI_STATUS_IGNORE));
            work_->run();
            check(MPI_Send(nullptr, 0, MPI_INT, 0, 0, node_));
            return;
        }
        for (int other = 1; other < size_; ++other)
            check(MPI_Send(nullptr, 0, MPI_INT, other, 0, node_));
        work_->run();
        for (int other = 1; other < size_; ++other)
            check(MPI_Recv(nullptr, 0, MPI_INT, other, 0, node_, MPI_STATUS_IGNORE));
    }

    Row facts() const override
    {
        Row row;
        return row.add("communicator", "node")
            .add("virtual_lanes", size_)
            .add("processes", processes_)
            .add("window", 1);
    }

    std::vector<std::int64_t> network_bytes() const override { return {}; }

private:
    void reset() override { work_->prepare(); }
    bool correct() const override { return work_->correct(); }

    MPI_Comm node_;
    int local_;
    int size_;
    int processes_;
    std::unique_ptr<Work> work_;
};

Patterns patterns(const Grid& on, const ProbeCase& at)
{
    Patterns all;
    all.push_back(std::make_unique<LocalWork>(on, at));
    return all;
}

const ProbeRegistration registration_local_work({.name = "local-work",
                                                 .collective = "copy",
                                                 .any_collective = true,
                                                 .inner_repetitions = 1,
                                                 .patterns = patterns});

}  // namespace
}  // namespace laneway::bench
