# The web console travels inside the binary: console/build.mjs builds it, and each of its files, compressed, becomes a
# std::string_view of api/console_files.cpp. Node.js and npm are needed for that, once per change; the program needs neither.
function(eilbote_embed_console target)
  find_program(EILBOTE_NODE node REQUIRED)
  set(source ${CMAKE_SOURCE_DIR}/console)
  if(NOT IS_DIRECTORY ${source}/node_modules)
    message(FATAL_ERROR "The console's npm packages are missing: run ./dev build, or npm ci in console/")
  endif()
  set(out ${CMAKE_BINARY_DIR}/generated/${target})
  file(GLOB_RECURSE inputs CONFIGURE_DEPENDS ${source}/src/*)
  set(files index.html app.js app.css icon.svg)
  list(TRANSFORM files PREPEND ${out}/files/ OUTPUT_VARIABLE built)
  list(TRANSFORM built APPEND .gz OUTPUT_VARIABLE compressed)
  add_custom_command(
    OUTPUT ${built} ${compressed}
    COMMAND ${EILBOTE_NODE} ${source}/build.mjs ${out}/files
    DEPENDS ${inputs} ${source}/build.mjs ${source}/package-lock.json
    COMMENT "Building the console")
  set(products)
  foreach(file ${files})
    string(REPLACE "." "_" name ${file})
    string(REPLACE "_" ";" words ${name})
    set(constant kConsole)
    foreach(word ${words})
      string(SUBSTRING ${word} 0 1 initial)
      string(SUBSTRING ${word} 1 -1 rest)
      string(TOUPPER ${initial} initial)
      string(APPEND constant ${initial}${rest})
    endforeach()
    set(header console_${name}.h)
    add_custom_command(
      OUTPUT ${out}/${header} ${out}/${header}.cpp
      COMMAND ${CMAKE_COMMAND} -DFILE=${out}/files/${file}.gz -DNAME=console/${file} -DOUT=${out} -DHEADER=${header}
              -DCONSTANT=${constant} -P ${CMAKE_SOURCE_DIR}/cmake/embed_text.cmake
      DEPENDS ${out}/files/${file}.gz ${CMAKE_SOURCE_DIR}/cmake/embed_text.cmake
      COMMENT "Embedding console/${file}")
    list(APPEND products ${out}/${header}.cpp)
  endforeach()
  add_library(${target} STATIC ${products})
  set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)  # each of them has its bytes under the same name
  target_include_directories(${target} PUBLIC ${out})
endfunction()
