# Files that travel inside the binary. SQL: sql/<dialect>/queries/NAME.sql becomes
# eilbote::sql::<dialect>::NAME, and sql/<dialect>/migrations/*.sql the ordered list eilbote::sql::<dialect>::migrations.
function(eilbote_embed_sql target)
  set(out ${CMAKE_BINARY_DIR}/generated/sql)
  file(GLOB_RECURSE inputs CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/sql/*.sql)
  set(products)
  foreach(dialect postgres sqlite)
    list(APPEND products ${out}/${dialect}.h ${out}/${dialect}.cpp)
  endforeach()
  add_custom_command(
    OUTPUT ${products}
    COMMAND ${CMAKE_COMMAND} -DSQL=${CMAKE_SOURCE_DIR}/sql -DOUT=${out} -P ${CMAKE_SOURCE_DIR}/cmake/embed_sql.cmake
    DEPENDS ${inputs} ${CMAKE_SOURCE_DIR}/cmake/embed_sql.cmake
    COMMENT "Embedding SQL")
  add_library(${target} STATIC ${out}/postgres.cpp ${out}/sqlite.cpp)
  target_include_directories(${target} PUBLIC ${CMAKE_BINARY_DIR}/generated)
endfunction()

# eilbote_embed_text(target file header constant): the text file becomes eilbote::<constant>, a std::string_view declared
# in <header> (found through the target).
function(eilbote_embed_text target file header constant)
  set(out ${CMAKE_BINARY_DIR}/generated/${target})
  add_custom_command(
    OUTPUT ${out}/${header} ${out}/${header}.cpp
    COMMAND ${CMAKE_COMMAND} -DFILE=${CMAKE_SOURCE_DIR}/${file} -DNAME=${file} -DOUT=${out} -DHEADER=${header}
            -DCONSTANT=${constant} -P ${CMAKE_SOURCE_DIR}/cmake/embed_text.cmake
    DEPENDS ${CMAKE_SOURCE_DIR}/${file} ${CMAKE_SOURCE_DIR}/cmake/embed_text.cmake
    COMMENT "Embedding ${file}")
  add_library(${target} STATIC ${out}/${header}.cpp)
  target_include_directories(${target} PUBLIC ${out})
endfunction()
