// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace laneway::bench {

/// This process's clock, in seconds: monotonic, and the same for all processes of one system.
double now();

/// A key that all processes which read the same clock have in common. It stands for the boot of the kernel, and for
/// the namespace that may shift its time (time_namespaces(7)).
int system_key();

void sleep_for(double seconds);

/// Waits until now() is `time`: asleep as long as that is safe, so that the ranks which share this
/// core go on.
void wait_until(double time);

}  // namespace laneway::bench
