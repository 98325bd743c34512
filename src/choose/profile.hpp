// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Profiles: files of rules that an administrator, a machine's owner or a user keeps.
/// docs/profiles.md describes them.
namespace laneway {

/// The profiles that hold in a process, in the order in which they are read.
struct Profiles {
    std::vector<std::string> built_in;
    /// Whatever is wrong with them must not take effect from the others: nobody has written them.
    std::vector<std::string> predicted;
    std::vector<std::string> own;  ///< the site's, the user's, those that are named
    std::string unreadable;        ///< why what was predicted cannot be found; empty: it can
};

/// *.conf, by name, of what Laneway brings (share/laneway/profiles, unless LANEWAY_DEFAULT=off; only where
/// LANEWAY_LANES is 2 or more), of what was predicted for this machine, ~/.config/laneway/predicted (unless
/// LANEWAY_DEFAULT=off), of the site's folder, etc/laneway beside the library, and of the user's, ~/.config/laneway
/// (XDG_CONFIG_HOME), or in place of these three of that which LANEWAY_PROFILE_DIR names; then those of
/// LANEWAY_PROFILE, separated by colons. Throws Misunderstood where a named folder or a file is missing or
/// LANEWAY_PROFILE names one twice.
Profiles profiles_of_environment();

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

/// The statements of a file, comments and empty lines left out. Throws Misunderstood, naming file
/// and line, where the file is none, or no profile.
std::vector<Statement> read_profile(const std::string& path);

}  // namespace laneway
