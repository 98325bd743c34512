// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "choose/where.hpp"

namespace laneway {

/// Whether a statement of a profile decides nothing, as `tuned 2026-11-25`: it is for readers of the file.
bool is_for_readers(std::string_view statement);

/// The headers of profiles. Each says where the rules after it were tuned, what becomes of them elsewhere, and of which
/// library or prediction they are. The statements are described in docs/profiles.md.
class Headers {
public:
    /// Name and version of the MPI library in use; empty: not known, and every profile fits.
    void set_library(std::string_view name) { library_ = name; }

    /// Takes a statement that belongs to a header. False: it is another statement, after which the header of that
    /// file is complete. Throws Misunderstood.
    bool read(std::string_view statement, std::string_view file);

    /// Whether the rules of a file hold with the library in use.
    bool holds(std::string_view file) const;

    /// The date at which a file's rules were predicted, as 2026-11-25; empty: somebody has measured or written them.
    std::string_view predicted(std::string_view file) const;

    /// Whose quirks the library of a native profile has, as MPICH; empty: the file does not say.
    std::string_view quirks(std::string_view file) const;

    /// The communicators that a file's rules were measured on, if they are to be used elsewhere, too.
    std::shared_ptr<const Shapes> tuned_shapes(std::string_view file) const;

    /// Remarks, a line each, on files that were tuned for another version of the library, where none was for this one.
    /// Files that were predicted for another version get one where none was tuned or predicted for this one. Files of
    /// other libraries are meant for these.
    std::vector<std::string> remarks() const;

private:
    struct Header {
        std::string library;  ///< empty: whichever
        std::shared_ptr<Shapes> shapes = std::make_shared<Shapes>();
        std::string predicted;  ///< date; empty: they were not predicted
        std::string quirks;     ///< their family; empty: it does not say
        bool used_elsewhere = false;
        std::vector<std::string> said;  ///< statements that may stand once, and do
        bool complete = false;
    };

    const Header* of(std::string_view file) const;
    bool fits(const Header& header) const;

    std::string library_;
    std::map<std::string, Header, std::less<>> headers_;  ///< by file
};

}  // namespace laneway
