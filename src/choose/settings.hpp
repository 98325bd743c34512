// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "choose/header.hpp"
#include "choose/profile.hpp"
#include "choose/rules.hpp"
#include "choose/setting.hpp"
#include "layout/layout.hpp"
#include "machine/binding.hpp"
#include "machine/cores.hpp"
#include "machine/node.hpp"

namespace laneway {

/// The variable that names algorithms, whatever the call; it is the origin of its rules.
inline constexpr const char* algorithm_variable = "LANEWAY_ALGORITHM";

/// The settings that the environment asks for. They are text first: the processes of a communicator compare the text
/// and agree on it, and read everything else from it, all alike.
class Settings {
public:
    /// This process's own, from the LANEWAY_* variables and profiles; read once.
    static std::shared_ptr<const Settings> own();

    /// Reads them in advance: profiles may want file descriptors, and more of a stack than the thread
    /// has that makes the first collective. The variables count as they are then all the same. To be
    /// called before any thread calls own().
    static void prepare();

    /// Reads `text`, lines of `key value`. Never throws: what cannot be understood makes all native
    /// and is said in `error()`.
    explicit Settings(std::string text);

    const std::string& text() const { return text_; }
    const std::string& error() const { return error_; }
    bool strict() const { return strict_; }
    /// Whether reductions are to depend on their operands and the number of ranks alone (choose/reproducible.hpp).
    bool reproducible() const { return reproducible_; }
    /// The origins of rules that the reproducible mode overrules; empty: there are none.
    const std::string& overruled() const { return overruled_; }
    /// Whether operators of the user's work element by element: they may be called with parts of messages.
    bool divides_operators() const { return divides_operators_; }
    /// Whether everything is served natively, whatever is asked for.
    bool off() const { return off_; }

    /// The number of a communicator's first calls that are the library's, but for large ones
    /// (call/communicator/state.hpp). Many communicators live no longer, and their parts would not pay. Unless it is
    /// set, it is 0 for a communicator that `lasts`, as MPI_COMM_WORLD does. It is also 0 where LANEWAY_ALGORITHM
    /// chooses, which is meant for experiments, or where results are to be reproducible.
    int patience(bool lasts) const;

    /// Whether a blocking call that rules may choose nothing for prepares nonblocking ones all the same. These wait for
    /// nobody, and must find ready what it makes. (Elsewhere it does so where all processes meet in it anyway, or a
    /// rule serves it.)
    bool prepares_at_once() const
    {
        return (is_experiment_ || reproducible_) && rules_.matter(Scope::nonblocking);
    }

    /// Whether calls are counted; processes agree on which communicators (report/report.hpp).
    bool reports() const { return reports_; }
    /// Whether everything is served natively and timed.
    bool advises() const { return advises_; }

    const Rules& rules() const { return rules_; }
    /// Whether some calls are to be served by whichever way is learnt to be fastest.
    bool learns() const { return learns_ && !off_; }
    /// Whether somebody has measured or written this rule on purpose, so that nothing is to be learnt where it decides.
    bool is_written(const Rule& rule) const
    {
        return std::ranges::find(unwritten_, file_of(rule.origin)) == unwritten_.end();
    }
    /// Remarks on profiles that were tuned for another MPI library, and on damaged ones that nobody has written, a line
    /// each.
    std::vector<std::string> remarks() const;

    /// The date at which the rules of a profile were predicted; empty: they were not.
    std::string_view predicted(std::string_view file) const { return headers_.predicted(file); }

    /// Reads a statement of a profile in addition. Throws Misunderstood, which names `origin`.
    void read_statement(std::string_view statement, const std::string& origin);

    const VirtualNodes& virtual_nodes() const { return virtual_nodes_; }
    /// Whether messages of algorithms within a node are to go by memory that its processes share, where they have any.
    bool shares_memory() const { return shares_memory_; }
    /// Network lanes of a node: as variables or profiles say, else as found on the nodes, else as predicted, else 1.
    /// Nobody's weights are those of other lanes. Predicted weights of as many lanes hold where nobody says any. A
    /// prediction is for one shape, and counts for nothing where predictions disagree.
    NetworkLanes network_lanes() const;
    int lanes() const { return network_lanes().number; }
    /// Whether weights of lanes are to be found while the program runs.
    bool finds_weights() const { return finds_weights_ && !off_; }
    /// How the processes share these lanes: as somebody says, else as they have found; see with_binding().
    Binding binding() const { return binding_; }
    /// These settings where the processes have found their binding, unless somebody has said it.
    static std::shared_ptr<const Settings> with_binding(std::shared_ptr<const Settings> settings,
                                                        Binding found);
    /// How the processes share the cores of their nodes, as somebody says.
    Cores cores() const { return cores_; }
    /// Lanes that were found on this process's node (machine/lanes.hpp), at least 1.
    int found_lanes() const { return std::max(found_lanes_, 1); }
    /// Whether lanes were looked for: nobody has said how many there are, or that it does not matter.
    bool looked_for_lanes() const { return !off_ && !lanes_are_said_ && !virtual_nodes_.any(); }
    /// The text of these settings where `lanes` were found on the nodes.
    std::string text_with_found_lanes(int lanes) const;
    /// A digest of the settings that somebody has made: all but what follows from the lanes that were found.
    std::uint64_t digest_of_what_is_said() const;

private:
    friend std::span<const Setting> all_settings();
    void read(std::string_view key, std::string_view value);
    /// Reads `site.conf:12`, a tabulator and the statement.
    void read_line_of_profile(std::string_view line);
    void set_lanes(const NetworkLanes& lanes, std::string_view file);
    /// Reads the rules of a profile that nobody has written; where anything is wrong with it, none of them, but a
    /// remark is added.
    void read_unwritten(const std::vector<Statement>& profile);
    void add_unwritten(std::string_view file);
    void let_learn();

    std::string text_;
    std::string error_;
    bool off_ = false;
    bool strict_ = false;
    bool reproducible_ = false;
    bool divides_operators_ = false;
    bool learns_ = false;
    bool learns_reductions_ = false;
    std::vector<std::string>
        unwritten_;  ///< files whose rules nobody has measured or written on purpose
    std::string overruled_;
    std::optional<int> patience_;
    bool is_experiment_ = false;
    bool reports_ = false;
    bool advises_ = false;
    Headers headers_;
    Rules rules_;
    VirtualNodes virtual_nodes_;
    bool shares_memory_ = true;
    std::optional<NetworkLanes> lanes_, predicted_lanes_;  ///< none: nobody says
    bool predictions_disagree_ = false;
    bool finds_weights_ = false;
    int found_lanes_ = 0;          ///< 0: there are not several
    bool lanes_are_said_ = false;  ///< by LANEWAY_LANES
    Binding binding_ = Binding::unknown;
    Cores cores_ = Cores::unknown;
    bool has_cores_here_ =
        false;  ///< all processes of the job are on one machine, with a core each
    std::vector<std::string> damage_;
};

}  // namespace laneway
