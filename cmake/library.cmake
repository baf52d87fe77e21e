# The standard headers nearly every file includes, compiled once per build folder. Sources include what they use all
# the same; this only saves the compiler from reading it again and again.
if(EILBOTE_PCH)
  file(WRITE ${CMAKE_BINARY_DIR}/generated/pch.cpp "")
  add_library(eilbote_pch OBJECT ${CMAKE_BINARY_DIR}/generated/pch.cpp)
  target_precompile_headers(eilbote_pch PRIVATE
    <algorithm> <atomic> <chrono> <condition_variable> <deque> <functional> <map> <memory> <mutex> <optional> <set>
    <span> <string> <string_view> <thread> <unordered_map> <utility> <variant> <vector> <filesystem> <fstream> <sstream>
    <tl/expected.hpp> <fmt/format.h>)
  target_link_libraries(eilbote_pch PRIVATE fmt::fmt)
endif()

# eilbote_library(folder deps...): the static library eilbote_<folder> from all sources under src/<folder>.
# A folder without sources (interfaces only) becomes an interface library.
function(eilbote_library folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${folder}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  if(sources)
    add_library(eilbote_${folder} STATIC ${sources})
    target_include_directories(eilbote_${folder} PUBLIC ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(eilbote_${folder} PUBLIC ${ARGN})
    if(EILBOTE_PCH)
      target_precompile_headers(eilbote_${folder} REUSE_FROM eilbote_pch)
    endif()
  else()
    add_library(eilbote_${folder} INTERFACE)
    target_include_directories(eilbote_${folder} INTERFACE ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(eilbote_${folder} INTERFACE ${ARGN})
  endif()
endfunction()
