// Where this library or module lies: the plug-in and NVRTC's package are looked for around it.
#pragma once

#include <string>

namespace serrate::cuda {

/// The folder of the file that this code was loaded from.
std::string own_folder();

}  // namespace serrate::cuda
