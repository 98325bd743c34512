// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace laneway::lanes {

/// Answers whoever asks from within the network namespace, at the abstract Unix socket
/// `laneway-switch`.
class Reporter {
public:
    /// Throws std::system_error.
    Reporter();
    Reporter(const Reporter&) = delete;
    Reporter& operator=(const Reporter&) = delete;
    ~Reporter();

    /// The socket, which is readable when somebody asks.
    int descriptor() const { return socket_; }

    /// Gives the text to one that asks.
    void answer(std::string_view text) const;

private:
    int socket_ = -1;
};

}  // namespace laneway::lanes
