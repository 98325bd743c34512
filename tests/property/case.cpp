// SPDX-License-Identifier: BSD-3-Clause
#include "case.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <set>
#include <thread>

#include "call_form.hpp"
#include "defects.hpp"
#include "report.hpp"

namespace laneway::property {

Calling& calling()
{
    static Calling only;
    return only;
}

void keep_layout(MPI_Comm comm)
{
    State* const state = State::existing(comm);
    const Parts* const parts = state ? state->parts() : nullptr;
    if (parts && !calling().began_on)
        calling().began_on = std::make_shared<const Layout>(parts->layout());
}

void make_weighed_calls(MPI_Comm comm)
{
    keep_layout(comm);
    State* const state = State::existing(comm);
    const char* const served_by = state ? state->served_by : nullptr;
    std::array<int, 32> data{};
    for (int call = 0; call < 2; ++call)
        laneway_bcast_with("lane", data.data(), static_cast<int>(data.size()), MPI_INT, 0, comm);
    if (state) state->served_by = served_by;
}
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
    if (irregular) id += "/" + irregular->name;
    if (root >= 0) id += "/root=" + std::to_string(root);
    if (in_place == InPlace::everybody) id += "/in-place";
    if (in_place == InPlace::some) id += "/in-place-on-some";
    return id;
}

bool keeps_whole(const Case& the_case)
{
    const char* const divides = std::getenv("LANEWAY_DIVIDE_OPERATORS");
    return the_case.op && the_case.op->user && divides && std::string_view(divides) != "1";
}

namespace {

/// Every root, or -1 where there is none.
template <class Body>
void for_roots(const Collective& collective, int processes, const Body& body)
{
    if (!collective.rooted) return body(-1);
    for (int root = 0; root < processes; ++root) body(root);
}

/// Every operator, or null where there is none.
template <class Body>
void for_operators(const Collective& collective, const Form& form, const Body& body)
{
    if (!collective.reduces) return body(nullptr);
    for (const Operator& op : operators())
        if (op.takes(form)) body(&op);
}

template <class Body>
void for_in_place(const Collective& collective, const Form& form, const Body& body)
{
    // Two buffers of a reduction cannot both be named by the same addresses.
    const bool only_in_place = form.absolute && collective.reduces;
    if (!only_in_place) body(InPlace::nobody);
    if (collective.in_place) body(InPlace::everybody);
    if (collective.mixed_in_place && !only_in_place) body(InPlace::some);
}

/// Lengths and places of blocks, or null where all are alike.
template <class Body>
void for_irregular(const Collective& collective, const Body& body)
{
    if (collective.places.empty()) return body(nullptr);
    for (const Irregular& irregular : irregulars())
        if (std::ranges::find(collective.places, irregular.places) != collective.places.end())
            body(&irregular);
}

template <class Body>
void for_data(const Collective& collective, int processes, const Body& body)
{
    if (!collective.data) return body(forms().front(), 0);
    for (const Form& form : forms())
        for (const int count : counts(processes, collective.blocks)) body(form, count);
}

}  // namespace

std::vector<Case> cases_of(const Collective& collective, int processes)
{
    std::vector<Case> cases;
    for_data(collective, processes, [&](const Form& form, int count) {
        for_operators(collective, form, [&](const Operator* op) {
            for_irregular(collective, [&](const Irregular* irregular) {
                for_roots(collective, processes, [&](int root) {
                    for_in_place(collective, form, [&](InPlace in_place) {
                        cases.push_back({&collective,
                                         {},
                                         nullptr,
                                         &form,
                                         op,
                                         count,
                                         root,
                                         in_place,
                                         irregular});
                    });
                });
            });
        });
    });
    return cases;
}

Trial::Trial(const Case& the_case, MPI_Comm comm) : case_(the_case), comm_(comm)
{
    check(PMPI_Comm_rank(comm, &rank_));
    check(PMPI_Comm_size(comm, &size_));
}

bool Trial::in_place() const
{
    switch (case_.in_place) {
    case InPlace::everybody:
        return !case_.collective->rooted || is_root();
    case InPlace::some:
        return rank_ % 2 == 1;
    case InPlace::nobody:
        break;
    }
    return false;
}

/// When the others are about to be in the call.
void Trial::come_late() const
{
    constexpr std::chrono::milliseconds late(3);
    const int last = case_.root >= 0 ? case_.root : case_.count % size_;
    if (rank_ == last) std::this_thread::sleep_for(late);
}

void Trial::serve(const Memory* input, const std::function<int()>& call)
{
    if (library_writes_to_input(case_)) input = nullptr;
    if (case_.irregular && case_.irregular->late) come_late();
    std::optional<ReadOnly> read_only;
    if (input) read_only.emplace(*input);
    Scratch::reset_peak();
    calling().may_repeat = case_.in_place == InPlace::nobody;
    const int code = call();
    expect(!input || !ReadOnly::written(), "the input has been written to");
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

bool Trial::is_under_way() { return calling().form != CallForm::blocking; }

std::int64_t Trial::elements(Facts facts) const
{
    const bool of_a_block = case_.collective->blocks && !case_.collective->reduces;
    return of_a_block ? facts.count * size_ : facts.count;
}

void Trial::explain(const char* what, std::size_t size, const Content& got, const Content& expected)
{
    const auto [our, their] =
        std::mismatch(got.data.begin(), got.data.end(), expected.data.begin());
    if (our != got.data.end()) {
        const auto at = static_cast<std::size_t>(our - got.data.begin());
        expect(false, std::string(what) + ", element " + std::to_string(at / size) + " of " +
                          std::to_string(got.data.size() / size) + ", byte " +
                          std::to_string(at % size) + ": " + number(*our) + " instead of " +
                          number(*their));
        return;
    }
    const auto place = std::mismatch(got.memory.begin(), got.memory.end(), expected.memory.begin());
    expect(false, std::string(what) + ", outside the data, byte " +
                      std::to_string(place.first - got.memory.begin()) + " of " +
                      std::to_string(got.memory.size()) + " from the margin on: " +
                      number(*place.first) + " instead of " + number(*place.second));
}

}  // namespace laneway::property
