// The files by which CMake and pkg-config find a package. Both locate it by their own folder.
#include <fmt/format.h>

#include "generators/package/c_names.h"
#include "generators/package/model.h"

namespace frit {

std::string cmake_config_text(const PackageModel& model) {
  const bool threads = model.options.threads > 1;
  return fmt::format(
      R"(# Made by frit {version}: find_package({m} PATHS <this folder>), then link the target {m}.
if(NOT TARGET {m})
{find}  add_library({m} STATIC IMPORTED)
  set_target_properties({m} PROPERTIES
    IMPORTED_LOCATION "${{CMAKE_CURRENT_LIST_DIR}}/lib{m}.a"
    IMPORTED_LINK_INTERFACE_LANGUAGES C
    INTERFACE_INCLUDE_DIRECTORIES "${{CMAKE_CURRENT_LIST_DIR}}"
    INTERFACE_LINK_LIBRARIES "{libraries}")
endif()
{weights})",
      fmt::arg("version", frit_version()), fmt::arg("m", model.c_name),
      fmt::arg("weights",
               model.weights
                   ? fmt::format("set({0}_WEIGHTS \"${{CMAKE_CURRENT_LIST_DIR}}/{0}.weights\")\n",
                                 model.c_name)
                   : ""),
      fmt::arg("find", threads ? "  find_package(Threads REQUIRED)\n" : ""),
      fmt::arg("libraries", threads ? "m;Threads::Threads" : "m"));
}

std::string pkg_config_text(const PackageModel& model) {
  return fmt::format(
      R"(# Made by frit {version}.
prefix=${{pcfiledir}}
{weights}
Name: {m}
Description: model {title}, compiled by frit
Version: {version}
Cflags: -I${{prefix}}
Libs: -L${{prefix}} -l{m} -lm{threads}
)",
      fmt::arg("version", frit_version()), fmt::arg("m", model.c_name),
      fmt::arg("title", c_identifier(model.options.name)),
      fmt::arg("weights", model.weights
                              ? fmt::format("weights=${{pcfiledir}}/{}.weights\n", model.c_name)
                              : ""),
      fmt::arg("threads", model.options.threads > 1 ? " -pthread" : ""));
}

}  // namespace frit
