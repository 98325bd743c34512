// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

namespace laneway::bench {

/// A variable of the MPI library that holds a number, reached by the tool interface (MPI 4.0, Section 15.3). Its
/// value holds for the calling process.
class Control {
public:
    /// A value that has a name.
    struct NamedValue {
        std::string name;
        int value;
    };

    /// Nothing where the library has no such variable. May be called before MPI is initialised.
    static std::optional<Control> find(const std::string& name);

    /// The names of all variables.
    static std::vector<std::string> names();

    /// Whether it can be set while the program runs.
    bool settable() const { return settable_; }

    /// The values that have a name, as the library tells them; 0 among them.
    const std::vector<NamedValue>& named_values() const { return named_values_; }

    int get() const;
    void set(int value) const;

private:
    Control() = default;

    int index_ = 0;
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
    bool settable_ = false;
    std::vector<NamedValue> named_values_;
};

/// Ends the use of control variables, before MPI is finalized: Open MPI 4.1 does not survive it later.
void close_tools();

/// The choices that a description lists, numbered from 0; empty where it lists none. Each is "NAME - what it is", on
/// a line of its own. Without ends of lines, each stands behind the one before, and all names but the first have one
/// width.
std::vector<Control::NamedValue> described_choices(const std::string& description);

}  // namespace laneway::bench
