// The masses of all pairs of muons with opposite charges, with an installed serrate, on the CPU or
// a GPU: dimuon [cpu|cuda [folder of the columns]]
#include <serrate/io.h>
#include <serrate/ops.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

namespace sr = serrate;

// A file as an array of numbers.
static sr::Buffer read(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  return sr::Buffer::copy_of(bytes.data(), static_cast<int64_t>(bytes.size()));
}

int main(int argc, char** argv) try {
  const std::string device = argc > 1 ? argv[1] : "cpu";
  if (device != "cpu" && device != "cuda") throw std::runtime_error("expected cpu or cuda");
  const std::filesystem::path folder = argc > 2 ? argv[2] : "examples/data/hzz_muons";

  // The columns share one list structure, described as Awkward Array describes it.
  const std::string form = R"({"class": "ListOffsetArray", "offsets": "i32", "form_key": "offsets",
    "content": {"class": "RecordArray", "fields": ["px", "py", "pz", "E", "charge"], "contents": [
      {"class": "NumpyArray", "primitive": "float32", "form_key": "px"},
      {"class": "NumpyArray", "primitive": "float32", "form_key": "py"},
      {"class": "NumpyArray", "primitive": "float32", "form_key": "pz"},
      {"class": "NumpyArray", "primitive": "float32", "form_key": "E"},
      {"class": "NumpyArray", "primitive": "int32", "form_key": "charge"}]}})";
  const sr::Buffer offsets = read(folder / "offsets.bin");
  const int64_t events = offsets.bytes() / 4 - 1;
  const sr::Array columns = sr::from_buffers(
      form, events,
      [&](const std::string& key) {
        return key == "offsets" ? offsets : read(folder / (key + ".bin"));
      },
      [](const std::string& form_key, const std::string&) { return form_key; });
  // What is computed from them is computed where they are.
  const sr::Array muons =
      sr::to_backend(columns, device == "cuda" ? sr::Device::cuda : sr::Device::cpu);

  const auto [a, b] = sr::unzip<2>(sr::combinations(muons, 2));
  const auto sum = [&a = a, &b = b](const char* field) {
    return sr::values_astype(a[field], sr::DType::float64) +
           sr::values_astype(b[field], sr::DType::float64);
  };
  const sr::Array p2 = sr::square(sum("px")) + sr::square(sum("py")) + sr::square(sum("pz"));
  const sr::Array mass = sr::sqrt(sr::maximum(sr::square(sum("E")) - p2, 0.0));
  const sr::Array opposite = sr::getitem(mass, {a["charge"] != b["charge"]});
  const sr::Array heaviest = sr::max(opposite, {.axis = 1});
  const sr::Array pairs = sr::count(mass), opposite_pairs = sr::count(opposite),
                  total = sr::sum(mass);
  sr::compute({heaviest, pairs, opposite_pairs, total});

  std::cout << "heaviest pair of each event [GeV]: " << heaviest << "\n"
            << "events " << heaviest.size() << ", pairs " << pairs.item<int64_t>()
            << ", with opposite charges " << opposite_pairs.item<int64_t>()
            << ", sum of all masses " << total.item<double>() << "\n";
  const bool ok = heaviest.size() == 2421 && pairs.item<int64_t>() == 1521 &&
                  opposite_pairs.item<int64_t>() == 1464 &&
                  std::abs(total.item<double>() - 137047.226) < 2e-3;
  std::cout << (ok ? "all as expected\n" : "WRONG: expected 2421, 1521, 1464, 137047.226\n");
  return ok ? 0 : 1;
} catch (const std::exception& e) {
  std::cerr << e.what() << "\n";
  return 1;
}
