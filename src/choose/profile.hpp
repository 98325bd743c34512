// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Profiles: files of rules that an administrator, a machine's owner or a user keeps.
/// docs/profiles.md describes them.
namespace laneway {

/// The first line of every profile.
inline constexpr std::string_view first_line_of_profiles = "laneway profile 1";

/// The profiles that hold in a process, in the order in which they are read.
struct Profiles {
    std::vector<std::string> built_in;
    /// Faults in them must not take effect from the others: nobody has written them.
    std::vector<std::string> predicted;
    std::vector<std::string> own;  ///< the site's, the user's, and named ones
    std::string unreadable;        ///< why predicted ones cannot be found; empty: they can
};

/// The lanes of a node as LANEWAY_LANES or LANEWAY_LANE_WEIGHTS say; none: they do not.
std::optional<long> lanes_said();

/// Whether each process of the job has a core on this one machine, as LANEWAY_CORES or launchers say. Then built-in
/// profiles are read, as they have rules for one node.
bool cores_count_for_built_in();

/// The files *.conf, by name, of some folders, then those of LANEWAY_PROFILE, separated by colons. First comes the
/// folder that Laneway brings, share/laneway/profiles (unless LANEWAY_DEFAULT=off). It is read only where
/// LANEWAY_LANES, or the number of lanes found, is 2 or more, or where cores_count_for_built_in(). Next are the
/// predictions for this machine, ~/.config/laneway/predicted (unless LANEWAY_DEFAULT=off). Then come the site's
/// folder, etc/laneway beside the library, and the user's, ~/.config/laneway (XDG_CONFIG_HOME). LANEWAY_PROFILE_DIR
/// names a folder in place of these last three. Throws Misunderstood where a named folder or a file is missing or
/// LANEWAY_PROFILE names one twice.
Profiles profiles_of_environment();

/// The folder of what the user's jobs have learnt, ~/.config/laneway/learned; empty: there is none. (It is not one of
/// those that hold: see choose/learned.hpp.)
std::string learned_folder();

/// A statement of a profile, and where it stands: "site.conf:12".
struct Statement {
    std::string origin;
    std::string text;
};

/// `site.conf` of `site.conf:12`.
inline std::string_view file_of(std::string_view origin)
{
    return origin.substr(0, origin.rfind(':'));
}

/// The statements of a file, comments and empty lines left out. Throws Misunderstood, which names file
/// and line, where the file is none, or no profile.
std::vector<Statement> read_profile(const std::string& path);

}  // namespace laneway
