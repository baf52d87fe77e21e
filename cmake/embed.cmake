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
