// What other programs may link to. The libraries are built with everything hidden but this.
//
// A class with virtual functions is exported as a whole, for its type_info; of any other, each
// function that is not inline. A template needs nothing: it is compiled where it is used.
#pragma once

#define HOLDFAST_EXPORT __attribute__((visibility("default")))
