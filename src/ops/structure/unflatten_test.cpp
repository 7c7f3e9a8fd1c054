// unflatten: values and types as Awkward Array 2.14 gives them.
#include "../../../tests/cpp/calls.h"

namespace serrate {
namespace {

// clang-format off
constexpr testing::Call kCalls[] = {
    {"unflatten n counts=2 axis=0",
     R"(2 * 2 * int64 | [[1,2],[3,4]])"},
    {"unflatten n counts=[1,0,3] axis=0",
     R"(3 * var * int64 | [[1],[],[2,3,4]])"},
    {"unflatten n counts=[1,0,2] axis=0",
     R"(ValueError)"},
    {"unflatten n counts=1 axis=0",
     R"(4 * 1 * int64 | [[1],[2],[3],[4]])"},
    {"unflatten n counts=4 axis=0",
     R"(1 * 4 * int64 | [[1,2,3,4]])"},
    {"unflatten x counts=[2,1] axis=0",
     R"(2 * var * var * float64 | [[[1.5,2.5,3.5],[]],[[4.5,5.5]]])"},
    {"unflatten x counts=3 axis=0",
     R"(1 * 3 * var * float64 | [[[1.5,2.5,3.5],[],[4.5,5.5]]])"},
    {"unflatten x counts=[2,1,2] axis=1",
     R"(3 * var * var * float64 | [[[1.5,2.5],[3.5]],[],[[4.5,5.5]]])"},
    {"unflatten x counts=[3,1,1] axis=1",
     R"(3 * var * var * float64 | [[[1.5,2.5,3.5]],[],[[4.5],[5.5]]])"},
    {"unflatten x counts=[3,0,1,1] axis=1",
     R"(3 * var * var * float64 | [[[1.5,2.5,3.5],[]],[],[[4.5],[5.5]]])"},
    {"unflatten x counts=[3,0,2] axis=1",
     R"(3 * var * var * float64 | [[[1.5,2.5,3.5],[]],[],[[4.5,5.5]]])"},
    {"unflatten x counts=[0,3,2] axis=1",
     R"(3 * var * var * float64 | [[[],[1.5,2.5,3.5]],[],[[4.5,5.5]]])"},
    {"unflatten x counts=[3,2,0] axis=1",
     R"(3 * var * var * float64 | [[[1.5,2.5,3.5]],[],[[4.5,5.5],[]]])"},
    {"unflatten x counts=[4,1] axis=1",
     R"(ValueError)"},
    {"unflatten x counts=1 axis=1",
     R"(3 * var * 1 * float64 | [[[1.5],[2.5],[3.5]],[],[[4.5],[5.5]]])"},
    {"unflatten x counts=2 axis=1",
     R"(ValueError)"},
    {"unflatten r counts=3 axis=1",
     R"(2 * var * 3 * int64 | [[[1,2,3]],[[4,5,6]]])"},
    {"unflatten r counts=[1,2,2,1] axis=1",
     R"(2 * var * var * int64 | [[[1],[2,3]],[[4,5],[6]]])"},
    {"unflatten m counts=[1,None,2] axis=0",
     R"(3 * option[var * int64] | [[1],null,[2,3]])"},
    {"unflatten d counts=[2,1,1,2] axis=2",
     R"(3 * var * var * var * int64 | [[[[1,2]],[[3]]],[],[[[4],[5,6]]]])"},
    {"unflatten d counts=[1,1,1,3] axis=2",
     R"(3 * var * var * var * int64 | [[[[1],[2]],[[3]]],[],[[[4,5,6]]]])"},
    {"unflatten d counts=[1,2,1,2] axis=2",
     R"(ValueError)"},
    {"unflatten pt counts=[1,1,1] axis=1",
     R"(3 * var * var * {a: int64, b: float64} | [[[{"a":1,"b":1.5}],[{"a":2,"b":2.5}]],[],[[{"a":3,"b":3.5}]]])"},
    {"unflatten o counts=[1,2] axis=0",
     R"(2 * var * option[var * int64] | [[[1,2]],[null,[3]]])"},
    {"unflatten d counts=1 axis=2",
     R"(3 * var * var * 1 * int64 | [[[[1],[2]],[[3]]],[],[[[4],[5],[6]]]])"},
    {"unflatten x counts=[2,1,2] axis=-1",
     R"(3 * var * var * float64 | [[[1.5,2.5],[3.5]],[],[[4.5,5.5]]])"},
    {"unflatten rec counts=[2,1] axis=0",
     R"(2 * var * {x: int64, y: var * int64} | [[{"x":1,"y":[1,2]},{"x":2,"y":[]}],[{"x":3,"y":[4]}]])"},
    {"unflatten s counts=[1,2] axis=0",
     R"(2 * var * string | [["one"],["two",""]])"},
    {"unflatten ss counts=[1,1,1] axis=1",
     R"(3 * var * var * string | [[["one"],["two"]],[],[["three"]]])"},
    {"unflatten o counts=[1,1,1] axis=1",
     R"(3 * option[var * var * int64] | [[[1],[2]],null,[[3]]])"},
};
// clang-format on

}  // namespace

TEST_CASE("unflatten gives Awkward's values and types") { testing::check_calls(kCalls); }

}  // namespace serrate
