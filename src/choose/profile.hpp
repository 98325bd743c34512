// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

/// Profiles: files of rules that an administrator, a machine's owner or a user keeps.
/// docs/profiles.md describes them.
namespace laneway {

/// The profiles that hold in this process, in the order in which they are read: *.conf, by name, of
/// the site's folder (LANEWAY_PROFILE_DIR, else etc/laneway beside the library), then those of
/// LANEWAY_PROFILE, separated by colons. Throws Misunderstood where the folder or a file is missing
/// or one file is named twice.
std::vector<std::string> profiles_of_environment();

/// A statement of a profile, and where it stands: "site.conf:12".
struct Statement {
    std::string origin;
    std::string text;
};

/// The statements of a file, comments and empty lines left out. Throws Misunderstood, naming file
/// and line, where the file is none, or no profile.
std::vector<Statement> read_profile(const std::string& path);

}  // namespace laneway
