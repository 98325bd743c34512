// SPDX-License-Identifier: BSD-3-Clause
#include "call/learn/keeping.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

#include "call/learn/knowledge.hpp"
#include "choose/learned.hpp"
#include "choose/profile.hpp"
#include "machine/node.hpp"
#include "report/new_file.h"
#include "text/text.hpp"

namespace laneway {
namespace {

namespace fs = std::filesystem;
using Statements = std::map<std::string, std::string>;

/// Why nothing can be kept, in words.
struct CannotKeep : std::runtime_error {
    using std::runtime_error::runtime_error;
};

[[noreturn]] void fail(int error) { throw CannotKeep(std::strerror(error)); }

class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor()
    {
        if (number_ >= 0) close(number_);
    }
    operator int() const { return number_; }

private:
    int number_;
};

/// A file in the user's folder; what is there already must be the user's own. `other`: what else it may be.
void must_be_own(const struct stat& file)
{
    if (!S_ISREG(file.st_mode)) throw CannotKeep("it is no regular file");
    if (file.st_uid != geteuid()) throw CannotKeep("it belongs to another user");
}

/// Jobs write one after the other. The lock lasts as long as the descriptor.
int locked(const fs::path& folder)
{
    const int lock = open((folder / ".lock").c_str(),
                          O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (lock < 0) fail(errno);
    constexpr int tries = 20;
    constexpr std::chrono::milliseconds pause(50);
    for (int i = 0; i < tries; ++i) {
        if (flock(lock, LOCK_EX | LOCK_NB) == 0) return lock;
        if (errno != EWOULDBLOCK && errno != EINTR) break;
        std::this_thread::sleep_for(pause);
    }
    close(lock);
    throw CannotKeep("another job is writing there");
}

/// A rule's call and what follows its conditions; an empty call: the statement is no learnt rule.
std::pair<std::string, std::string> parted(const std::string& statement)
{
    const auto at = statement.find(" learned=");
    if (at == statement.npos) return {};
    return {statement.substr(0, at), statement.substr(at + 1)};
}

/// The rules of the file as it is; none where it is not there, or is damaged.
Statements earlier(const fs::path& path)
{
    struct stat file{};
    if (lstat(path.c_str(), &file) != 0) {
        if (errno == ENOENT) return {};
        fail(errno);
    }
    must_be_own(file);
    Statements found;
    try {
        for (const Statement& statement : read_profile(path.string()))
            if (auto rule = parted(statement.text); !rule.first.empty())
                found.insert(std::move(rule));
    } catch (const Misunderstood&) {
        return {};  // it is written anew
    }
    return found;
}

void write_all(int file, std::string_view text)
{
    while (!text.empty()) {
        const ssize_t written = write(file, text.data(), text.size());
        if (written < 0 && errno != EINTR) fail(errno);
        if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    }
    if (fsync(file) != 0) fail(errno);
}

/// Replaces the file: it is there as it was, or as a whole. Whoever was killed before may have left the new one.
void replace(const fs::path& path, const std::string& text)
{
    const fs::path folder = path.parent_path();
    const std::string name = "." + path.filename().string() + ".new";
    const fs::path made = folder / name;
    unlink(made.c_str());
    const char* why = nullptr;
    const Descriptor file(laneway_new_file(folder.c_str(), name.c_str(), &why));
    if (file < 0) throw CannotKeep(why);
    try {
        write_all(file, text);
        if (rename(made.c_str(), path.c_str()) != 0) fail(errno);
    } catch (const CannotKeep&) {
        unlink(made.c_str());
        throw;
    }
}

void keep(const std::string& path, const Statements& learnt)
{
    const fs::path folder = fs::path(path).parent_path();
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (failed) throw CannotKeep(failed.message());
    const Descriptor lock(locked(folder));
    std::string text = learned_header();
    for (const auto& [call, rest] : together(earlier(path), learnt))
        text += call + " " + rest + "\n";
    replace(path, text);
}

std::mutex keeping;
std::chrono::steady_clock::time_point kept_at = std::chrono::steady_clock::now();

}  // namespace

Statements together(const Statements& earlier, const Statements& learnt)
{
    Statements all = earlier;
    for (const auto& [call, rest] : learnt) {
        if (rest.empty())
            all.erase(call);
        else
            all[call] = rest;
    }
    return all;
}

void keep_what_was_learnt()
{
    static Remark cannot;
    static auto& kept = *new Statements;  // MPI may end after our destructors
    if (world_rank() != 0) return;
    const std::scoped_lock lock(keeping);
    kept_at = std::chrono::steady_clock::now();
    const Statements learnt = Knowledge::own().rules();
    const std::string path = learned_file();
    if (learnt == kept || path.empty()) return;
    try {
        keep(path, learnt);
        kept = learnt;
    } catch (const CannotKeep& why) {
        cannot.say([&] {
            return "what was learnt is not kept in " + in_quotes(path) + ": " + why.what();
        });
    }
}

void keep_now_and_then()
{
    constexpr std::chrono::minutes pause(1);
    {
        const std::scoped_lock lock(keeping);
        if (std::chrono::steady_clock::now() - kept_at < pause) return;
    }
    keep_what_was_learnt();
}

}  // namespace laneway
