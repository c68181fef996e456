// Which Holdfast this is. CMake reads it here as well.
//
// Until 1.0 a program must be compiled again for each new minor version.
#pragma once

#define HOLDFAST_VERSION_MAJOR 0
#define HOLDFAST_VERSION_MINOR 1
#define HOLDFAST_VERSION_PATCH 0
