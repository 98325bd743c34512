// SPDX-License-Identifier: BSD-3-Clause
#include "choose/profile.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <utility>

#include "machine/cores.hpp"
#include "machine/lanes.hpp"
#include "machine/variable.hpp"
#include "text/text.hpp"

namespace laneway {
namespace {

namespace fs = std::filesystem;

/// Bytes. A profile is written by hand or by a tuner; a larger file is none.
constexpr std::size_t largest_profile = 1u << 20;

/// A file open for reading. Opening never waits, as a FIFO without a writer would have it do.
class File {
public:
    explicit File(const std::string& path)
        : path_(path),
          descriptor_(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC))
    {
        if (descriptor_ < 0) fail(std::string("cannot be opened: ") + std::strerror(errno));
        struct stat facts{};
        if (fstat(descriptor_, &facts) != 0) fail(std::strerror(errno));
        if (S_ISDIR(facts.st_mode)) fail("is a directory, not a profile");
        if (!S_ISREG(facts.st_mode)) fail("is no regular file");
        if (std::cmp_greater(facts.st_size, largest_profile)) fail_as_too_large();
        identity_ = {facts.st_dev, facts.st_ino};
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File()
    {
        if (descriptor_ >= 0) close(descriptor_);
    }

    /// Device and inode: the same for all names of one file.
    std::pair<dev_t, ino_t> identity() const { return identity_; }

    std::string content() const
    {
        std::string text;
        std::array<char, 16384> piece{};
        ssize_t length = 0;
        while ((length = read(descriptor_, piece.data(), piece.size())) > 0) {
            text.append(piece.data(), static_cast<std::size_t>(length));
            if (text.size() > largest_profile) fail_as_too_large();
        }
        if (length < 0) fail(std::string("cannot be read: ") + std::strerror(errno));
        return text;
    }

private:
    [[noreturn]] void fail(const std::string& reason) const
    {
        if (descriptor_ >= 0) close(descriptor_);  // a constructor that throws has no destructor
        std::exchange(descriptor_, -1);
        throw Misunderstood(in_quotes(path_) + " " + reason);
    }
    [[noreturn]] void fail_as_too_large() const { fail("is larger than 1 MiB, and so no profile"); }

    std::string path_;
    mutable int descriptor_;
    std::pair<dev_t, ino_t> identity_{};
};

/// The installation that this code belongs to.
fs::path installation()
{
    Dl_info here{};
    if (dladdr(reinterpret_cast<const void*>(&installation), &here) == 0) return {};
    return fs::path(here.dli_fname).parent_path().parent_path();
}

/// Whether profiles are to hold that nobody has measured.
bool defaults_hold()
{
    const char* const wanted = secure_getenv("LANEWAY_DEFAULT");
    return !wanted || std::string_view(wanted) != "off";
}

/// The folder of the profiles that hold where nobody has tuned. None where they are not to hold. None either where a
/// node is not known to have several lanes, or a core for each process of the job. There, rules that choose nothing
/// would only make first calls wait for each other.
fs::path default_folder()
{
    if (!defaults_hold()) return {};
    const auto said = lanes_said();  // whoever says it has nobody look for devices
    if ((said ? *said : found_lanes().number) < 2 && !cores_count_for_built_in()) return {};
    return installation() / "share" / "laneway" / "profiles";
}

/// The folder of a site's profiles where no variable names one.
fs::path site_folder() { return installation() / "etc" / "laneway"; }

/// The folder of the user's own profiles: `laneway tune` writes there.
fs::path users_folder()
{
    const char* const config = secure_getenv("XDG_CONFIG_HOME");
    if (config && *config) return fs::path(config) / "laneway";
    const char* const home = secure_getenv("HOME");
    return home && *home ? fs::path(home) / ".config" / "laneway" : fs::path();
}

/// A folder of the user's for rules that nobody has measured or written on purpose. A user who names another folder
/// than that of the user's own profiles wants nothing from it.
fs::path unwritten_folder(const char* name)
{
    const fs::path own = users_folder();
    const bool holds = defaults_hold() && !secure_getenv("LANEWAY_PROFILE_DIR");
    return holds && !own.empty() ? own / name : fs::path();
}

/// The folder of predictions for the user's machine: `laneway calibrate` writes there.
fs::path predicted_folder() { return unwritten_folder("predicted"); }

/// The files *.conf of a folder, by name, but for hidden files and links that lead nowhere: those are editors'.
std::vector<std::string> profiles_in(const fs::path& folder, bool named)
{
    std::vector<std::string> found;
    std::error_code failed;
    const auto must_be_readable = [&](const fs::path& path) {
        if (failed)
            throw Misunderstood((named ? "LANEWAY_PROFILE_DIR: " : "") + in_quotes(path.string()) +
                                " cannot be read: " + failed.message());
    };
    fs::directory_iterator entry(folder, failed);
    for (const fs::directory_iterator end; !failed && entry != end; entry.increment(failed)) {
        const fs::path& path = entry->path();
        if (path.extension() != ".conf" || path.filename().string().starts_with('.')) continue;
        if (fs::exists(path, failed)) found.push_back(path.string());
        must_be_readable(path);
    }
    must_be_readable(folder);
    std::ranges::sort(found);
    return found;
}

/// The profiles that nobody names: the default ones, the predicted ones, then those of LANEWAY_PROFILE_DIR's folder,
/// or else of the site's and the user's. Profiles that somebody has measured or written win.
Profiles found_by_themselves()
{
    Profiles found;
    const auto add = [](std::vector<std::string>& to, const fs::path& folder, bool named) {
        std::error_code failed;
        if (folder.empty() || !(named || fs::is_directory(folder, failed))) return;
        const std::vector<std::string> own = profiles_in(folder, named);
        to.insert(to.end(), own.begin(), own.end());
    };
    add(found.built_in, default_folder(), false);
    try {
        add(found.predicted, predicted_folder(), false);
    } catch (const Misunderstood& why) {
        found.unreadable = why.what();
    }
    if (const char* const named = secure_getenv("LANEWAY_PROFILE_DIR")) {
        add(found.own, named, true);
    } else {
        add(found.own, site_folder(), false);
        add(found.own, users_folder(), false);
    }
    return found;
}

/// The profiles that LANEWAY_PROFILE names.
std::vector<std::string> named_profiles()
{
    const char* const named = secure_getenv("LANEWAY_PROFILE");
    std::vector<std::string> paths;
    std::string_view list = named ? named : "";
    while (!list.empty())
        if (const auto path = next(list, ':'); !path.empty()) paths.emplace_back(path);
    return paths;
}

std::string line_number(std::string_view text, std::size_t offset)
{
    return std::to_string(1 + std::ranges::count(text.substr(0, offset), '\n'));
}

/// A path as part of "FILE:LINE", which must stay on one line.
std::string one_line(std::string path)
{
    for (char& c : path)
        if (c == '\n' || c == '\t') c = ' ';
    return path;
}

}  // namespace

std::string learned_folder() { return unwritten_folder("learned").string(); }

std::optional<long> lanes_said()
{
    const char* const lanes = secure_getenv("LANEWAY_LANES");
    if (lanes && *lanes) return std::strtol(lanes, nullptr, 10);
    const char* const weights = secure_getenv("LANEWAY_LANE_WEIGHTS");
    if (!weights || !*weights || std::string_view(weights) == "auto") return std::nullopt;
    std::string_view all = weights;
    return 1 + std::ranges::count(next(all, ','), ':');
}

bool cores_count_for_built_in()
{
    const std::string said = variable("LANEWAY_CORES");
    return said.empty() ? all_have_cores_here() : said == name_of_cores(Cores::each);
}

Profiles profiles_of_environment()
{
    Profiles found = found_by_themselves();
    std::vector<std::string> named_ones = named_profiles();
    std::set<std::pair<dev_t, ino_t>> named;
    for (const std::string& path : named_ones)
        if (!named.insert(File(path).identity()).second)
            throw Misunderstood(in_quotes(path) + " is named twice: once is enough");
    // Whoever names a profile that is found anyway wants it to win.
    const auto is_named = [&](const auto& path) { return named.contains(File(path).identity()); };
    std::erase_if(found.built_in, is_named);
    std::erase_if(found.own, is_named);
    std::erase_if(found.predicted, [&](const auto& path) {
        try {
            return is_named(path);
        } catch (const Misunderstood&) {
            return false;  // whoever reads it says why it cannot be read
        }
    });
    found.own.insert(found.own.end(), named_ones.begin(), named_ones.end());
    return found;
}

std::vector<Statement> read_profile(const std::string& path)
{
    const std::string content = File(path).content();
    const std::string name = one_line(path);
    std::string_view rest = content;
    if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);  // editors' byte order mark
    if (const auto wrong = first_not_text(content))
        throw Misunderstood(name + ":" + line_number(content, *wrong) +
                            ": not text: a null byte, or no UTF-8");

    std::vector<Statement> statements;
    bool begun = false;
    for (int line = 1; !rest.empty(); ++line) {
        std::string_view text = next(rest, '\n');
        text = trimmed(text.substr(0, text.find('#')));
        if (text.empty()) continue;
        const std::string origin = name + ":" + std::to_string(line);
        if (begun)
            statements.push_back({origin, std::string(text)});
        else if (text != first_line_of_profiles)
            throw Misunderstood(origin + ": no profile: it must begin with '" +
                                std::string(first_line_of_profiles) + "', not " + in_quotes(text));
        begun = true;
    }
    if (!begun)
        throw Misunderstood(name + ":1: an empty file is no profile: it must begin with '" +
                            std::string(first_line_of_profiles) + "'");
    return statements;
}

}  // namespace laneway
