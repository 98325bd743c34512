// SPDX-License-Identifier: BSD-3-Clause
#include "bench/native/algorithms.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "bench/options/amount.hpp"
#include "bench/text/words.hpp"
#include "library/error.hpp"
#include "library/quirks.hpp"
#include "library/returning.hpp"

namespace laneway::bench {
namespace {

/// Without this variable Open MPI's coll/tuned does not look at the others. Open MPI 4 reads it at the start.
constexpr const char* looks_at_all = "coll_tuned_use_dynamic_rules";

std::string open_mpi_variable(const std::string& collective)
{
    return "coll_tuned_" + collective + "_algorithm";
}

std::string mpich_variable(std::string collective, const char* end)
{
    std::ranges::transform(collective, collective.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return "MPIR_CVAR_" + collective + end;
}

/// A variable that has an effect when it is set now.
std::optional<Control> effective(const std::string& name)
{
    std::optional<Control> control = Control::find(name);
    return control && control->settable() ? control : std::nullopt;
}

/// The variable that decides on a collective's algorithm, and its name.
std::optional<std::pair<std::string, Control>> deciding(const std::string& collective)
{
    if (const std::string name = open_mpi_variable(collective);
        const auto found = effective(name)) {
        const auto looks = Control::find(looks_at_all);
        if (looks && (looks->settable() || looks->get() != 0)) return {{name, *found}};
    }
    if (const std::string name = mpich_variable(collective, "_INTRA_ALGORITHM");
        const auto found = effective(name))
        return {{name, *found}};
    return std::nullopt;
}

/// The components of Open MPI, besides tuned, that serve a collective, as far as variables show
/// that: coll_han_use_simple_bcast, coll_adapt_bcast_algorithm.
std::vector<std::string> components(const std::string& collective)
{
    constexpr std::string_view begin = "coll_";
    std::vector<std::string> found;
    for (const std::string& name : Control::names()) {
        if (!name.starts_with(begin)) continue;
        const std::size_t end = name.find('_', begin.size());
        if (end == std::string::npos) continue;
        const std::string component = name.substr(begin.size(), end - begin.size());
        const std::string rest = name.substr(end + 1);
        if (component != "tuned" &&
            (rest == "use_simple_" + collective || rest == collective + "_algorithm"))
            found.push_back(component);
    }
    return found;
}

std::string plain(const std::string& algorithm)
{
    return algorithm.substr(native_prefix.size(), algorithm.find('(') - native_prefix.size());
}

/// The names of a variable's own variables: segmentsize for coll_tuned_bcast_algorithm_segmentsize.
std::vector<std::string> tunables(const std::string& variable)
{
    std::vector<std::string> found;
    for (const std::string& name : Control::names())
        if (name.starts_with(variable + '_') && effective(name))
            found.push_back(name.substr(variable.size() + 1));
    return found;
}

}  // namespace

void permit_forcing()
{
    setenv((std::string("OMPI_MCA_") + looks_at_all).c_str(), "1", /*overwrite=*/0);
}

std::vector<std::string> native_algorithms(const std::string& collective)
{
    std::vector<std::string> found;
    if (const auto variable = deciding(collective))
        for (const auto& [name, value] : variable->second.named_values())
            if (value != 0)  // 0 means that the library decides
                found.push_back(std::string(native_prefix) + name);
    for (const std::string& name : components(collective))
        found.push_back(std::string(native_prefix) + name);
    return found;
}

std::vector<Row> native_rows(const std::string& collective)
{
    const auto variable = deciding(collective);
    std::map<std::string, std::string> presets;
    if (variable)
        for (const std::string& name : tunables(variable->first))
            presets[name] = std::to_string(effective(variable->first + '_' + name)->get());
    std::vector<Row> rows;
    for (const std::string& name : native_algorithms(collective)) {
        int number = 0;
        if (variable)
            for (const auto& [choice, value] : variable->second.named_values())
                if (choice == plain(name)) number = value;
        const std::map<std::string, std::string> none;
        rows.push_back(Row()
                           .add("collective", std::string_view(collective))
                           .add("algorithm", std::string_view(name))
                           .add_if("number", number != 0, number)
                           .add("tunables", number != 0 ? presets : none));
    }
    return rows;
}

Forced::Forced(const std::string& collective, const std::string& algorithm)
    : collective_(collective),
      name_(plain(algorithm))
{
    const std::vector<std::string> known = native_algorithms(collective);
    if (std::ranges::find(known, std::string(native_prefix) + name_) == known.end())
        throw Misunderstood(collective + ": this MPI library has no " + algorithm);
    const std::vector<std::string> others = components(collective);
    if (std::ranges::find(others, name_) != others.end()) {
        component_ = name_;
        tune("", algorithm);
        return;
    }
    const auto [variable, control] = *deciding(collective);
    for (const auto& [choice, value] : control.named_values())
        if (choice == name_) settings_.push_back({control, value});
    tune(variable, algorithm);
    if (const auto looks = effective(looks_at_all)) settings_.push_back({*looks, 1});
    // MPICH's devices have algorithms of their own, which go before.
    if (const auto device = effective(mpich_variable(collective, "_DEVICE_COLLECTIVE")))
        settings_.push_back({*device, 0});
    // In Open MPI 5 the component han goes before, too.
    if (variable.starts_with("coll_tuned_")) component_ = "tuned";
}

/// Takes over the tunables that stand in parentheses.
void Forced::tune(const std::string& variable, const std::string& algorithm)
{
    const std::size_t open = algorithm.find('(');
    if (open == std::string::npos) return;
    if (!algorithm.ends_with(')'))
        throw Misunderstood("'" + algorithm + "': there is no ')' at the end");
    const std::vector<std::string> known =
        variable.empty() ? std::vector<std::string>{} : tunables(variable);
    for (const std::string& word : split(algorithm.substr(open + 1, algorithm.size() - open - 2))) {
        const std::size_t equals = word.find('=');
        const std::string name = word.substr(0, equals);
        if (equals == std::string::npos || std::ranges::find(known, name) == known.end())
            throw Misunderstood("'" + algorithm + "': no tunable '" + name +
                                "'; known: " + (known.empty() ? "none" : joined(known)));
        std::string value = word.substr(equals + 1);
        const std::int64_t number = bytes("algorithm", std::move(value));
        if (number > std::numeric_limits<int>::max())
            throw Misunderstood("'" + algorithm + "': " + name + " is too large");
        settings_.push_back({*effective(variable + '_' + name), static_cast<int>(number)});
    }
}

void Forced::copy(const std::vector<MPI_Comm>& comms)
{
    const Hold hold(*this);
    MPI_Info info = MPI_INFO_NULL;
    if (!component_.empty()) {
        check(MPI_Info_create(&info));
        check(MPI_Info_set(info, "ompi_comm_coll_preference", component_.c_str()));
    }
    for (const MPI_Comm comm : comms) {
        MPI_Comm& copy = comms_.emplace_back(MPI_COMM_NULL);
        check(MPI_Comm_dup_with_info(comm, info, &copy));
        check(return_errors(copy));
    }
    if (info != MPI_INFO_NULL) check(MPI_Info_free(&info));
}

/// An algorithm may end the job in two cases. One is MPICH 4.0's reduce_scatter by an algorithm that is not
/// applicable. The other is an allreduce of some Open MPI by the component han (library/quirks.hpp).
std::optional<std::string> Forced::danger(std::size_t bytes) const
{
    int size = 0;
    check(MPI_Comm_size(comms_.front(), &size));
    if (name_ == "noncommutative" && !std::has_single_bit(static_cast<unsigned>(size)))
        return "it needs a power of two of ranks";
    if (name_ == "han" && collective_ == "allreduce" && quirks().breaks_segments_of_han) {
        const auto segment = Control::find("coll_han_allreduce_segsize");
        const int most = segment ? segment->get() : 0;
        if (most > 0 && bytes > static_cast<std::size_t>(most))
            return "beyond coll_han_allreduce_segsize it crashes on several nodes";
    }
    return std::nullopt;
}

void Forced::free()
{
    for (MPI_Comm& comm : comms_) check(MPI_Comm_free(&comm));
    comms_.clear();
}

Forced::Hold::Hold(const Forced& of) : forced_(of)
{
    for (const auto& [control, value] : of.settings_) {
        before_.push_back(control.get());
        control.set(value);
    }
}

Forced::Hold::~Hold()
{
    for (std::size_t i = before_.size(); i-- > 0;) forced_.settings_[i].control.set(before_[i]);
}

}  // namespace laneway::bench
