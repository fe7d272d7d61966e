# Writes OUTPUT: one constant, the hash of the SOURCES' bytes in order.
set(all "")
foreach(source IN LISTS SOURCES)
  file(SHA256 ${source} one)
  string(APPEND all ${one})
endforeach()
string(SHA256 hash "${all}")
file(WRITE ${OUTPUT} "#pragma once\nnamespace frit {\ninline constexpr const char* kSourceHash = \"${hash}\";\n}\n")
