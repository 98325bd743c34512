// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "cases/case.hpp"

namespace laneway::simulate {

/// A folder as one of /sys, of these files; gone at its end.
class Folder {
public:
    explicit Folder(const std::map<std::string, std::string>& files)
    {
        std::string name = (std::filesystem::temp_directory_path() / "laneway-XXXXXX").string();
        TRUE(mkdtemp(name.data()) != nullptr);
        path_ = name;
        for (const auto& [file, text] : files) {
            std::filesystem::create_directories((path_ / file).parent_path());
            std::ofstream(path_ / file) << text << '\n';
        }
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { std::filesystem::remove_all(path_); }

    std::string name() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

}  // namespace laneway::simulate
