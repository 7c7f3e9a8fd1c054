// Methods that give the same vectors in other coordinates, or in other dimensions.
#include "common/checked.h"
#include "vectors/classes.h"

namespace serrate::python {
namespace {

using vectors::Azimuthal;
using vectors::Longitudinal;
using vectors::System;
using vectors::Temporal;
using vectors::Vector;

/// Coordinates that a conversion is to add: z=, eta=, mass= ...
struct Added {
  System system;
  Array longitudinal = 0.0, temporal = 0.0;
};

Added added(const System& from, const nb::kwargs& given, int dimension, const char* name) {
  Added out{from};
  if (dimension < 4) out.system.temporal = Temporal::none;
  if (dimension < 3) out.system.longitudinal = Longitudinal::none;
  if (dimension > 2 && from.dimension() < 3) out.system.longitudinal = Longitudinal::z;
  if (dimension > 3 && from.dimension() < 4) out.system.temporal = Temporal::t;
  std::array<bool, 2> known{};
  for (auto [key, value] : given) {
    if (value.is_none()) continue;
    const std::string_view text = text_in(key);
    const bool longitudinal = text == "z" || text == "pz" || text == "theta" || text == "eta";
    const bool time = text == "t" || text == "e" || text == "E" || text == "energy";
    const bool mass = text == "tau" || text == "m" || text == "M" || text == "mass";
    const int least = longitudinal ? 3 : 4;
    check<TypeError>(longitudinal || time || mass, "{}: no coordinate is called {}", name, text);
    check<TypeError>(from.dimension() < least && dimension >= least,
                     "{}: {} is no coordinate that is added", name, text);
    bool& before = known[longitudinal ? 0 : 1];
    check<TypeError>(!before, "{}: one coordinate too many, {}", name, text);
    before = true;
    if (longitudinal) {
      out.longitudinal = as_array(value, name);
      out.system.longitudinal = text == "eta"     ? Longitudinal::eta
                                : text == "theta" ? Longitudinal::theta
                                                  : Longitudinal::z;
    } else {
      out.temporal = as_array(value, name);
      out.system.temporal = mass ? Temporal::tau : Temporal::t;
    }
  }
  return out;
}

void bind_dimensions() {
  for (const int dimension : {2, 3, 4}) {
    for (const char* pattern : {"to_Vector{}D", "to_{}D"}) {
      const auto& name = *new std::string(fmt::format(fmt::runtime(pattern), dimension));
      const char* text = name.c_str();
      def_method(
          2, text,
          [dimension, text](nb::handle self, nb::kwargs given) {
            const graph::Operation operation;
            const Begun call;
            const Vector v = as_vector(self, text);
            const Added a = added(v.system(), given, dimension, text);
            return wrap(to_system(v, a.system, a.longitudinal, a.temporal));
          },
          "With so many dimensions; new coordinates are 0 or given by name (z=, eta=, t=, mass=).");
    }
  }
  def_method(2, "like",
             of_vectors("like", [](const Vector& v,
                                   const Vector& w) { return to_dimension(v, w.dimension()); }),
             "other"_a, "With as many dimensions as the other vector; new coordinates are 0.");
}

/// to_rhophietatau and to_ptphietamass for each system of coordinates.
void bind_system(System system) {
  const bool flat = system.azimuthal == Azimuthal::xy;
  for (const bool momentum : {false, true}) {
    std::string name =
        std::string("to_") + (momentum ? (flat ? "pxpy" : "ptphi") : (flat ? "xy" : "rhophi"));
    if (system.longitudinal != Longitudinal::none)
      name += system.longitudinal == Longitudinal::z       ? (momentum ? "pz" : "z")
              : system.longitudinal == Longitudinal::theta ? "theta"
                                                           : "eta";
    if (system.temporal != Temporal::none)
      name += system.temporal == Temporal::t ? (momentum ? "energy" : "t")
                                             : (momentum ? "mass" : "tau");
    const auto& kept = *new std::string(name);
    const char* text = kept.c_str();
    def_method(
        2, text,
        [system, text](nb::handle self, nb::kwargs given) {
          const graph::Operation operation;
          const Begun call;
          const Vector v = as_vector(self, text);
          const Added a = added(v.system(), given, system.dimension(), text);
          return wrap(to_system(v, system, a.longitudinal, a.temporal));
        },
        "The same in these coordinates; those that it has not are 0 or given by name.");
  }
}

}  // namespace

void bind_vector_conversions() {
  bind_dimensions();
  for (const Azimuthal azimuthal : {Azimuthal::xy, Azimuthal::rhophi}) {
    bind_system({azimuthal});
    for (const Longitudinal l : {Longitudinal::z, Longitudinal::theta, Longitudinal::eta}) {
      bind_system({azimuthal, l});
      bind_system({azimuthal, l, Temporal::t});
      bind_system({azimuthal, l, Temporal::tau});
    }
  }
}

}  // namespace serrate::python
