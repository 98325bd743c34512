// SPDX-License-Identifier: BSD-3-Clause
//
// laneway-check: property tests of the collectives. Every registered algorithm is called in every
// combination of communicator, datatype, operator, count, root and MPI_IN_PLACE, or in a draw of
// them. Its result is compared byte by byte with the MPI library's own.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "call_form.hpp"
#include "case.hpp"
#include "command_line.hpp"
#include "defects.hpp"
#include "report.hpp"
#include "wrong.hpp"

namespace laneway::property {
namespace {

/// Which cases are run: as many of every algorithm, or all. They are drawn by their numbers, as there are millions.
class Draw {
public:
    Draw(const Options& options, const std::vector<Shape>& shapes)
        : options_(options),
          shapes_(shapes)
    {
        for (const Collective& collective : Collective::all())
            for (const std::string_view algorithm : collective.algorithms())
                if (options.want(collective.name, algorithm)) {
                    Stratum& stratum = strata_[{collective.name, algorithm}];
                    for (const Shape& shape : shapes)
                        stratum.size += table(collective, shape.size()).size();
                }
        if (!options.cases) return;
        // Where there are fewer cases than algorithms, other ranks and other forms have other ones.
        const auto form = static_cast<std::size_t>(calling().form);
        std::mt19937_64 random(options.seed +
                               1'000'003 * (shapes.front().node_of.size() * 4 + form));
        std::vector<Stratum*> order;
        for (auto& [name, stratum] : strata_) {
            order.push_back(&stratum);
            std::swap(order.back(), order[random() % order.size()]);
        }
        std::size_t cases = *options.cases, strata = order.size();
        for (Stratum* const stratum : order) {
            const std::size_t size = stratum->size, drawn = std::min(size, cases / strata--);
            cases -= drawn;
            // Sampling without replacement (Bentley and Floyd, Communications of the ACM 30:9, 1987).
            for (std::size_t last = size - drawn; last < size; ++last)
                if (!stratum->drawn.insert(random() % (last + 1)).second)
                    stratum->drawn.insert(last);
        }
    }

    /// Visits the cases: those of a shape follow each other.
    void for_each(const std::function<void(const Case&)>& visit)
    {
        for (const Shape& shape : shapes_)
            for (const Collective& collective : Collective::all())
                for (const std::string_view algorithm : collective.algorithms())
                    if (options_.want(collective.name, algorithm))
                        visit_some(shape, collective, algorithm, visit);
    }

private:
    struct Stratum {
        std::size_t size = 0;
        std::set<std::size_t> drawn;
        std::size_t visited = 0;
    };

    const std::vector<Case>& table(const Collective& collective, int processes)
    {
        std::vector<Case>& cases = tables_[{collective.name, processes}];
        if (cases.empty()) cases = cases_of(collective, processes);
        return cases;
    }

    void visit_some(const Shape& shape, const Collective& collective, std::string_view algorithm,
                    const std::function<void(const Case&)>& visit)
    {
        const std::vector<Case>& cases = table(collective, shape.size());
        Stratum& stratum = strata_[{collective.name, algorithm}];
        const std::size_t first = stratum.visited;
        stratum.visited += cases.size();
        const auto visit_one = [&](std::size_t at) {
            Case next = cases[at];
            next.algorithm = algorithm;
            next.shape = &shape;
            if (options_.want(next)) visit(next);
        };
        if (!options_.cases)
            for (std::size_t at = 0; at < cases.size(); ++at) visit_one(at);
        else
            for (auto at = stratum.drawn.lower_bound(first);
                 at != stratum.drawn.end() && *at < stratum.visited; ++at)
                visit_one(*at - first);
    }

    const Options& options_;
    const std::vector<Shape>& shapes_;
    std::map<std::pair<std::string_view, int>, std::vector<Case>> tables_;
    std::map<std::pair<std::string_view, std::string_view>, Stratum> strata_;
};

/// A receive, posted on the communicator under test, that takes whatever message comes: none may.
class Wildcard {
public:
    explicit Wildcard(MPI_Comm comm) : comm_(comm) { post(); }
    Wildcard(const Wildcard&) = delete;
    Wildcard& operator=(const Wildcard&) = delete;
    ~Wildcard()
    {
        PMPI_Cancel(&request_);
        PMPI_Wait(&request_, MPI_STATUS_IGNORE);
    }

    bool caught()
    {
        int caught = 0;
        check(PMPI_Test(&request_, &caught, MPI_STATUS_IGNORE));
        if (caught) post();
        return caught;
    }

private:
    void post()
    {
        check(PMPI_Irecv(letter_, sizeof letter_, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm_,
                         &request_));
    }

    MPI_Comm comm_;
    MPI_Request request_ = MPI_REQUEST_NULL;
    char letter_[1024];
};

/// A communicator under test.
class Stage {
public:
    explicit Stage(const Shape& of) : shape(&of), comm_(communicator(of))
    {
        under_test() = comm_;
        if (comm_ == MPI_COMM_NULL) return;
        wildcard_.emplace(comm_);
        if (calling().form != CallForm::blocking) check(laneway_decompose(comm_));
    }
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;
    ~Stage()
    {
        wildcard_.reset();
        if (comm_ != MPI_COMM_NULL) PMPI_Comm_free(&comm_);
    }

    struct Tally {
        unsigned long passed = 0, failed = 0, as_asked = 0;
    };

    /// Each case is counted by one process.
    void run(const Case& the_case, Tally& tally)
    {
        if (comm_ == MPI_COMM_NULL) return;
        Trial trial(the_case, comm_);
        try {
            the_case.collective->run(trial);
        } catch (const Error& error) {
            trial.end("the library itself", error.code());
        }
        check(PMPI_Barrier(comm_));
        trial.expect(!wildcard_->caught(), "a receive of the user's caught a message");

        const int none = trial.size();
        const int mine = trial.fault().empty() ? none : trial.rank();
        int first = none;
        check(PMPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm_));
        if (first == trial.rank()) {
            report("FAILED", the_case, trial.fault());
            ++tally.failed;
        }
        if (trial.rank() == 0) {
            tally.passed += first == none;
            tally.as_asked += trial.served_as_asked();
        }
    }

    const Shape* shape;

private:
    MPI_Comm comm_;
    std::optional<Wildcard> wildcard_;
};

int check_all(const Options& options)
{
    int processes = 0, rank = 0;
    check(PMPI_Comm_size(MPI_COMM_WORLD, &processes));
    check(PMPI_Comm_rank(MPI_COMM_WORLD, &rank));
    if (calling().form != CallForm::blocking && !laneway_serves_requests()) {
        if (rank == 0)
            std::printf("0 passed, 0 failed; this MPI library would not carry requests on\n");
        return EXIT_SUCCESS;
    }
    const std::vector<Shape> all_shapes = shapes(processes);
    Draw draw(options, all_shapes);

    std::optional<Stage> stage;
    Stage::Tally mine;
    std::map<std::string_view, unsigned long> left_out;
    draw.for_each([&](const Case& next) {
        if (options.list) {
            if (rank == 0) std::printf("%s\n", next.id().c_str());
            return;
        }
        for (const Defect& defect : defects())
            if (defect.concerns(next)) {
                ++left_out[defect.what];
                return;
            }
        watch(next, options.timeout);
        if (!stage || stage->shape != next.shape) {
            stage.reset();
            stage.emplace(*next.shape);
        }
        stage->run(next, mine);
    });
    stage.reset();
    if (options.list) return EXIT_SUCCESS;

    unsigned long sent[] = {mine.passed, mine.failed, mine.as_asked}, sums[3] = {};
    check(PMPI_Allreduce(sent, sums, 3, MPI_UNSIGNED_LONG, MPI_SUM, MPI_COMM_WORLD));
    const auto [passed, failed, as_asked] = sums;
    if (rank == 0) {
        for (const auto& [what, cases] : left_out)
            std::printf("%lu left out: %s\n", cases, what.data());
        std::printf(
            "%lu passed, %lu failed; in %lu the algorithm asked for served (np %d, seed %lu)\n",
            passed, failed, as_asked, processes, options.seed);
    }
    return failed == 0 && passed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace laneway::property

int main(int argc, char** argv)
{
    using namespace laneway::property;
    const Options options = read(argc, argv);
    if (options.with_wrong) {
        register_wrong();
        reproduce_with(" --with-wrong");
    }
    // Every algorithm is to serve every operator, unless the environment has this: these work element by element.
    setenv("LANEWAY_DIVIDE_OPERATORS", "1", 0);
    MPI_Init(&argc, &argv);
    const int status = check_all(options);
    MPI_Finalize();
    return status;
}
