// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/algorithm.hpp"

namespace laneway {

/// Where a collective runs: on a communicator of the user's, or as a component of an algorithm on
/// the processes of a node or of a lane. Components of components are native.
enum class Scope : unsigned char { user, node, lane, component };

/// What the environment asks for. Settings are text first: the text is what the processes of a
/// communicator compare and agree on, everything else is read from it, alike on all of them.
class Settings {
public:
    /// This process's own, from the LANEWAY_* variables; read once.
    static std::shared_ptr<const Settings> own();

    /// Reads `text`, lines of `key value`. Never throws: what cannot be understood makes all native
    /// and is said in `error()`.
    explicit Settings(std::string text);

    const std::string& text() const { return text_; }
    const std::string& error() const { return error_; }
    bool strict() const { return strict_; }
    /// Everything is served natively, whatever is asked for.
    bool off() const { return off_; }

    /// The algorithm chosen for a collective in a scope; null: native.
    template <class Call>
    const Algorithm<Call>* choice(Scope scope) const
    {
        return std::get<const Algorithm<Call>*>(choices_[static_cast<std::size_t>(scope)]);
    }

    /// True where some collective of that scope is not native.
    bool chooses(Scope scope) const;

    /// Processes a virtual node; 0: none.
    int node_size() const { return node_size_; }
    /// Names of the virtual nodes, one a process of MPI_COMM_WORLD; empty: none.
    const std::vector<std::string>& node_map() const { return node_map_; }
    /// Network lanes of a node, 1 where not said.
    int lanes() const { return lanes_; }

private:
    void read(std::string_view key, std::string_view value);
    void read_algorithms(std::string_view list);

    template <class Tuple>
    struct ChoicesOf;
    template <class... Call>
    struct ChoicesOf<std::tuple<Call...>> {
        using type = std::tuple<const Algorithm<Call>*...>;
    };
    using Choices = ChoicesOf<Calls>::type;

    std::string text_;
    std::string error_;
    bool off_ = false;
    bool strict_ = false;
    std::array<Choices, 4> choices_{};
    int node_size_ = 0;
    std::vector<std::string> node_map_;
    int lanes_ = 1;
};

}  // namespace laneway
