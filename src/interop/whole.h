// Buffers that hold nothing but an array: all that is in them belongs to it.
#pragma once

#include "serrate/io.h"

namespace serrate::interop {

/// from_buffers of buffers that are as long as what they hold: of categoricals, categories that no
/// item has are kept, too, which a form does not count.
Array from_whole_buffers(std::string_view form_json, int64_t length, const Container& container,
                         const BufferKey& key = buffer_key(),
                         ByteOrder byteorder = ByteOrder::little);

}  // namespace serrate::interop
