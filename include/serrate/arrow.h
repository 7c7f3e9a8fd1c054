// Arrays from and to Apache Arrow, by its C data, stream, device and device stream interfaces. No
// Arrow library is needed: the structures below are all of it.
#pragma once

#include <cstdint>
#include <string>

#include "serrate/array.h"

extern "C" {

// The guards are those of Arrow's specification, so that its own headers may come before or after.
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};

#endif  // ARROW_C_DATA_INTERFACE

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};

#endif  // ARROW_C_STREAM_INTERFACE

#ifndef ARROW_C_DEVICE_DATA_INTERFACE
#define ARROW_C_DEVICE_DATA_INTERFACE

typedef int32_t ArrowDeviceType;

#define ARROW_DEVICE_CPU 1
#define ARROW_DEVICE_CUDA 2
#define ARROW_DEVICE_CUDA_HOST 3
#define ARROW_DEVICE_OPENCL 4
#define ARROW_DEVICE_VULKAN 7
#define ARROW_DEVICE_METAL 8
#define ARROW_DEVICE_VPI 9
#define ARROW_DEVICE_ROCM 10
#define ARROW_DEVICE_ROCM_HOST 11
#define ARROW_DEVICE_EXT_DEV 12
#define ARROW_DEVICE_CUDA_MANAGED 13
#define ARROW_DEVICE_ONEAPI 14
#define ARROW_DEVICE_WEBGPU 15
#define ARROW_DEVICE_HEXAGON 16

struct ArrowDeviceArray {
  struct ArrowArray array;
  int64_t device_id;
  ArrowDeviceType device_type;
  void* sync_event;
  int64_t reserved[3];
};

#endif  // ARROW_C_DEVICE_DATA_INTERFACE

#ifndef ARROW_C_DEVICE_STREAM_INTERFACE
#define ARROW_C_DEVICE_STREAM_INTERFACE

struct ArrowDeviceArrayStream {
  ArrowDeviceType device_type;
  int (*get_schema)(struct ArrowDeviceArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowDeviceArrayStream*, struct ArrowDeviceArray* out);
  const char* (*get_last_error)(struct ArrowDeviceArrayStream*);
  void (*release)(struct ArrowDeviceArrayStream*);
  void* private_data;
};

#endif  // ARROW_C_DEVICE_STREAM_INTERFACE

}  // extern "C"

namespace serrate {

// -- in -------------------------------------------------------------------------------------------
struct FromArrowOptions {
  /// Memory is shared: Arrow's arrays are immutable by their specification. Set for producers whose
  /// memory others write to all the same.
  bool copy = false;
};
/// The array, which is taken over with its schema: both are released, the array once the last
/// serrate::Array that reads it has gone, in whatever thread; at once where this throws.
///
/// Numbers, text, bits of booleans and of missing values are read where they are. Offsets, indexes,
/// type codes and run ends are looked at before: ValueError names the column and what is wrong with
/// it. What producers say of their sizes cannot be checked, as buffers of this interface have none.
Array from_arrow(ArrowArray* array, ArrowSchema* schema, const FromArrowOptions& o = {});
/// All arrays of a stream, end to end; a single one is shared, more are joined. std::runtime_error
/// with the producer's text if it fails.
Array from_arrow(ArrowArrayStream* stream, const FromArrowOptions& o = {});
/// On the device it is on, after its sync_event. ValueError for devices that serrate does not use.
Array from_arrow(ArrowDeviceArray* array, ArrowSchema* schema, const FromArrowOptions& o = {});
Array from_arrow(ArrowDeviceArrayStream* stream, const FromArrowOptions& o = {});
/// An array of no items of the type that the schema says.
Array from_arrow(ArrowSchema* schema);

// -- out ------------------------------------------------------------------------------------------
struct ToArrowOptions {
  bool list_to32 = false;        ///< offsets of 32 bits for lists, where they fit
  bool string_to32 = false;      ///< the same of strings
  bool bytestring_to32 = false;  ///< the same of bytes
  std::string emptyarray_to;     ///< "int64": what unknown becomes, if not null
  bool categorical_as_dictionary = true;
  bool extensionarray = false;  ///< with Awkward Array's metadata, so that types come back
  bool count_nulls = true;      ///< else null_count is -1
  bool table = false;           ///< as columns of a table, with metadata as Awkward Array's
  bool record_is_scalar = false;
  /// Best effort: 32 or 64 bits of offsets, views, dictionaries or their values. ValueError for
  /// another number of fields.
  const ArrowSchema* requested = nullptr;
};
/// Evaluates x and shares its memory; bits of booleans and of missing values are made. The caller
/// releases both. TypeError for scalars, what is on a GPU, and types that Arrow has not.
void to_arrow(const Array& x, ArrowArray* array, ArrowSchema* schema, const ToArrowOptions& o = {});
/// A stream of one array.
void to_arrow(const Array& x, ArrowArrayStream* stream, const ToArrowOptions& o = {});
/// Where x is; on a GPU the sync_event comes after what makes x.
void to_arrow(const Array& x, ArrowDeviceArray* array, ArrowSchema* schema,
              const ToArrowOptions& o = {});
void to_arrow(const Array& x, ArrowDeviceArrayStream* stream, const ToArrowOptions& o = {});

}  // namespace serrate
