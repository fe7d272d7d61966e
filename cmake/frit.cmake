# frit_add_model: a target made of an ONNX model, to be linked by C and C++ programs.
#
#   frit_add_model(NAME
#     MODEL file.onnx            relative to the current source folder
#     SHAPES x:1x3x48x320 ...    extents of inputs whose dims the model leaves open
#     [TARGETS host]             one; see: frit help targets
#     [THREADS n]                most threads of a context (default 1: no thread code at all)
#     [WEIGHTS external]         the constants in a file NAME.weights, not in the library
#     [SCHEDULES folder]         .sched files preferred to the shipped ones
#     [OPTIONS ...]              further words for the frit command line
#     [DEPENDS ...])             further files that the model needs, e.g. external weights
#
# NAME is a static library; linking it adds the folder of NAME.h to the includes. The package lies
# in ${CMAKE_CURRENT_BINARY_DIR}/NAME; target property FRIT_REPORT names NAME.report.json there,
# FRIT_WEIGHTS the file of weights, where there is one.
# The same function serves inside frit's own build and after find_package(frit): both define the
# executable frit::frit.
function(frit_add_model name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "MODEL;THREADS;WEIGHTS;SCHEDULES"
                        "SHAPES;TARGETS;OPTIONS;DEPENDS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "frit_add_model(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_MODEL)
    message(FATAL_ERROR "frit_add_model(${name}): MODEL is missing")
  endif()
  get_filename_component(model ${arg_MODEL} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name})
  set(command ${model} -o ${folder} --name ${name})
  foreach(shape IN LISTS arg_SHAPES)
    list(APPEND command --shape ${shape})
  endforeach()
  if(arg_TARGETS)
    string(REPLACE ";" "," targets "${arg_TARGETS}")
    list(APPEND command --target ${targets})
  endif()
  if(arg_THREADS)
    list(APPEND command --threads ${arg_THREADS})
  endif()
  set(weights_file "")
  if(arg_WEIGHTS)
    list(APPEND command --weights ${arg_WEIGHTS})
    if(arg_WEIGHTS STREQUAL "external")
      set(weights_file ${folder}/${name}.weights)
    endif()
  endif()
  set(schedule_files "")
  if(arg_SCHEDULES)
    get_filename_component(schedules ${arg_SCHEDULES} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
    list(APPEND command --schedules ${schedules})
    file(GLOB schedule_files CONFIGURE_DEPENDS ${schedules}/*.sched)
  endif()

  set(archive ${folder}/lib${name}.a)
  add_custom_command(
    OUTPUT ${archive} ${folder}/${name}.h ${folder}/${name}.report.json ${weights_file}
    COMMAND ${CMAKE_COMMAND} -E env CC=${CMAKE_C_COMPILER}
            $<TARGET_FILE:frit::frit> --progress plain build ${command} ${arg_OPTIONS}
    DEPENDS ${model} ${schedule_files} ${arg_DEPENDS} frit::frit
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
    COMMENT "frit: building ${name} from ${arg_MODEL}"
    USES_TERMINAL VERBATIM)
  add_custom_target(${name}_package DEPENDS ${archive})
  file(MAKE_DIRECTORY ${folder})  # CMake wants include folders to exist when configuring
  add_library(${name} STATIC IMPORTED GLOBAL)
  add_dependencies(${name} ${name}_package)
  set_target_properties(${name} PROPERTIES
    IMPORTED_LOCATION ${archive}
    INTERFACE_INCLUDE_DIRECTORIES ${folder}
    FRIT_REPORT ${folder}/${name}.report.json
    FRIT_WEIGHTS "${weights_file}")
  set(libraries m)
  if(arg_THREADS AND arg_THREADS GREATER 1)
    find_package(Threads REQUIRED)
    list(APPEND libraries Threads::Threads)
  endif()
  set_target_properties(${name} PROPERTIES INTERFACE_LINK_LIBRARIES "${libraries}")
endfunction()
