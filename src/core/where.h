// Where the user is: the text that errors found at evaluation carry.
#pragma once

#include <string>

namespace serrate {

/// "op (analysis.py:12)" where a language binding has told how to find the user's line, else "op".
/// Asked for only where something is made that can fail when it is evaluated.
std::string current_where(std::string op);

/// Gives "file:line", or "" if there is none; called from any thread. Null: no locations.
using SourceLocationHook = std::string (*)();
void set_source_location_hook(SourceLocationHook hook);

}  // namespace serrate
