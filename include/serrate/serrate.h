// All of the library: one header for those who do not mind compile times.
#pragma once

#include "serrate/builder.h"
#include "serrate/compile.h"
#include "serrate/function.h"
#include "serrate/histogram.h"
#include "serrate/io.h"
#include "serrate/json.h"
#include "serrate/ops.h"
#include "serrate/ufunc.h"
#include "serrate/vectors.h"
