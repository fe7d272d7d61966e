# frit_embed_texts(OUT FUNCTION FILE...): a .cpp at OUT defining, in namespace frit,
#   const std::vector<std::pair<std::string, std::string>>& FUNCTION();   // file name -> text
# with the files in the order given. Declare the function where it is used. Made anew when a file
# changes. As a script (cmake -P) this file does the writing.
if(CMAKE_SCRIPT_MODE_FILE)
  set(text "// Made by cmake/embed.cmake.\n#include <string>\n#include <utility>\n#include <vector>\n\nnamespace frit {\n\n")
  string(APPEND text "const std::vector<std::pair<std::string, std::string>>& ${FUNCTION}();\n")
  string(APPEND text "const std::vector<std::pair<std::string, std::string>>& ${FUNCTION}() {\n")
  string(APPEND text "  static const std::vector<std::pair<std::string, std::string>> texts = {\n")
  foreach(file ${FILES})
    file(READ ${file} content)
    get_filename_component(name ${file} NAME)
    string(APPEND text "      {\"${name}\", R\"__frit__(${content})__frit__\"},\n")
  endforeach()
  string(APPEND text "  };\n  return texts;\n}\n\n}  // namespace frit\n")
  file(WRITE ${OUT} "${text}")
  return()
endif()

set(FRIT_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
function(frit_embed_texts out function)
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DFUNCTION=${function} "-DFILES=${ARGN}"
            -P ${FRIT_EMBED_SCRIPT}
    DEPENDS ${ARGN} ${FRIT_EMBED_SCRIPT}
    COMMENT "Embedding ${function}"
    VERBATIM)
endfunction()
