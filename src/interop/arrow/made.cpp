// Arrow's structures of what is exported.
#include "interop/arrow/made.h"

#include <utility>

namespace serrate::interop::arrow {
namespace {

// Children live beside their parents' data: whoever moves one out takes its fields, and its private
// data with them.
struct SchemaData {
  std::string format, name, metadata;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> addresses;
  ArrowSchema dictionary{};
};
struct ArrayData {
  std::vector<Buffer> buffers;
  std::vector<const void*> addresses;
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> child_addresses;
  ArrowArray dictionary{};
};

template <class T>
void release_if_there(T* x) {
  if (x->release != nullptr) x->release(x);
}

template <class T, class Data>
void release(T* x) {
  for (int64_t i = 0; i < x->n_children; ++i) release_if_there(x->children[i]);
  if (x->dictionary != nullptr) release_if_there(x->dictionary);
  delete static_cast<Data*>(x->private_data);
  x->release = nullptr;
}

}  // namespace

void write_schema(const Made& m, ArrowSchema* out) {
  auto data = std::make_unique<SchemaData>();
  data->format = m.format;
  data->name = m.name;
  if (!m.metadata.empty()) data->metadata = write_metadata(m.metadata);
  data->children.resize(m.children.size());
  for (size_t i = 0; i < m.children.size(); ++i) {
    write_schema(m.children[i], &data->children[i]);
    data->addresses.push_back(&data->children[i]);
  }
  if (!m.dictionary.empty()) write_schema(m.dictionary[0], &data->dictionary);
  *out = {data->format.c_str(),
          data->name.c_str(),
          m.metadata.empty() ? nullptr : data->metadata.data(),
          m.flags,
          static_cast<int64_t>(m.children.size()),
          data->addresses.data(),
          m.dictionary.empty() ? nullptr : &data->dictionary,
          &release<ArrowSchema, SchemaData>,
          data.get()};
  data.release();
}

void write_array(Made m, ArrowArray* out) {
  auto data = std::make_unique<ArrayData>();
  data->children.resize(m.children.size());
  for (size_t i = 0; i < m.children.size(); ++i) {
    write_array(std::move(m.children[i]), &data->children[i]);
    data->child_addresses.push_back(&data->children[i]);
  }
  if (!m.dictionary.empty()) write_array(std::move(m.dictionary[0]), &data->dictionary);
  for (const Buffer& b : m.buffers) data->addresses.push_back(b.data());
  data->buffers = std::move(m.buffers);
  *out = {m.length,
          m.null_count,
          0,
          static_cast<int64_t>(data->addresses.size()),
          static_cast<int64_t>(data->children.size()),
          data->addresses.data(),
          data->child_addresses.data(),
          m.dictionary.empty() ? nullptr : &data->dictionary,
          &release<ArrowArray, ArrayData>,
          data.get()};
  data.release();
}

}  // namespace serrate::interop::arrow
