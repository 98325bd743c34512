// SPDX-License-Identifier: BSD-3-Clause
#include "case.hpp"

#include <algorithm>
#include <set>

#include "report.hpp"

namespace laneway::property {
namespace {

/// None, few, as many as processes or not quite, and enough for the library's other protocols.
std::set<int> counts(int processes, bool blocks)
{
    constexpr int large = 100'000;
    return {0,
            1,
            processes - 1,
            processes,
            2 * processes + 1,
            1000,
            blocks ? large / processes : large};
}

std::string number(std::byte value) { return std::to_string(std::to_integer<int>(value)); }

}  // namespace

std::string Case::id() const
{
    std::string id = std::string(collective->name) + "/" + std::string(algorithm) + "/" +
                     shape->name() + "/" + form->name;
    if (op) id += "/" + std::string(op->name);
    id += "/count=" + std::to_string(count);
    if (root >= 0) id += "/root=" + std::to_string(root);
    if (in_place) id += "/in-place";
    return id;
}

void for_each_case(const std::vector<Shape>& shapes, const std::function<void(const Case&)>& visit)
{
    for (const Shape& shape : shapes)
        for (const Collective& collective : Collective::all())
            for (const std::string_view algorithm : collective.algorithms())
                for (const Form& form : forms())
                    for (const int count : counts(shape.size(), collective.blocks)) {
                        Case next{&collective, algorithm, &shape, &form, nullptr, count, -1, false};
                        const auto in_place_or_not = [&] {
                            // Two buffers cannot both be named by the same addresses.
                            const bool only_in_place = form.absolute && collective.reduces;
                            next.in_place = false;
                            if (!only_in_place) visit(next);
                            next.in_place = true;
                            if (collective.in_place) visit(next);
                        };
                        if (collective.rooted) {
                            for (next.root = 0; next.root < shape.size(); ++next.root)
                                in_place_or_not();
                        } else if (collective.reduces) {
                            for (const Operator& op : operators()) {
                                next.op = &op;
                                if (op.takes(form)) in_place_or_not();
                            }
                        } else {
                            in_place_or_not();
                        }
                    }
}

Trial::Trial(const Case& the_case, MPI_Comm comm) : case_(the_case), comm_(comm)
{
    check(PMPI_Comm_rank(comm, &rank_));
    check(PMPI_Comm_size(comm, &size_));
}

void Trial::serve(const std::function<int()>& call)
{
    Scratch::reset_peak();
    const int code = call();
    if (code != MPI_SUCCESS) end("the call", code);
}

void Trial::end(const char* where, int code) const
{
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    PMPI_Error_string(code, text, &length);
    report("FAILED", case_, "rank " + std::to_string(rank_) + ": " + where + ": " + text);
    PMPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    std::abort();
}

void Trial::expect(bool holds, const std::string& otherwise)
{
    if (!holds && fault_.empty()) fault_ = "rank " + std::to_string(rank_) + ": " + otherwise;
}

void Trial::expect_equal(const char* what, const Slot& got, const Slot& expected)
{
    if (got.memory() == expected.memory() || !fault_.empty()) return;
    const Bytes ours = got.packed(), theirs = expected.packed();
    const auto [our, their] = std::mismatch(ours.begin(), ours.end(), theirs.begin());
    if (our != ours.end()) {
        const auto at = static_cast<std::size_t>(our - ours.begin()), size = size_of(got.kind());
        expect(false, std::string(what) + ", element " + std::to_string(at / size) + " of " +
                          std::to_string(ours.size() / size) + ", byte " +
                          std::to_string(at % size) + ": " + number(*our) + " instead of " +
                          number(*their));
        return;
    }
    const auto place =
        std::mismatch(got.memory().begin(), got.memory().end(), expected.memory().begin());
    expect(false, std::string(what) + ", outside the data, byte " +
                      std::to_string(place.first - got.memory().begin()) + " of " +
                      std::to_string(got.memory().size()) + " from the margin on: " +
                      number(*place.first) + " instead of " + number(*place.second));
}

}  // namespace laneway::property
