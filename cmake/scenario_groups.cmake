# Read by ctest, before it runs anything: one test for each suite of the scenarios and each parameter of it ("Stores/MailsOfAGroup/sqlite").
# The tests of one run in one process, one after the other, and share a PostgreSQL server and a broker, whose starts would
# otherwise be a good part of the run. The long ones stay by themselves (EILBOTE_LONG, a filter of gtest), so that they can begin first.
#
# Set by tests/CMakeLists.txt: EILBOTE_SCENARIOS_PROGRAM, EILBOTE_LONG.
if(NOT EXISTS "${EILBOTE_SCENARIOS_PROGRAM}")
  add_test(scenarios_NOT_BUILT scenarios_NOT_BUILT)
  return()
endif()

# Into `out`: the lines that gtest prints of the tests that `filter` matches.
function(eilbote_list_tests filter out)
  execute_process(COMMAND "${EILBOTE_SCENARIOS_PROGRAM}" --gtest_list_tests "--gtest_filter=${filter}"
    OUTPUT_VARIABLE listed RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${EILBOTE_SCENARIOS_PROGRAM} does not list its tests: ${failed}")
  endif()
  string(REPLACE ";" "," listed "${listed}")
  string(REPLACE "\n" ";" listed "${listed}")
  set(${out} "${listed}" PARENT_SCOPE)
endfunction()

function(eilbote_add_scenario name filter)
  add_test("${name}" "${EILBOTE_SCENARIOS_PROGRAM}" "--gtest_filter=${filter}")
  set_tests_properties("${name}" PROPERTIES LABELS scenarios TIMEOUT 1200 ${ARGN})
endfunction()

# A line of a suite ends in a dot; those of its tests are indented: "  name/parameter  # GetParam() = ...".
eilbote_list_tests("${EILBOTE_LONG}" lines)
foreach(line IN LISTS lines)
  if(line MATCHES "^([A-Za-z0-9_/]+)\\.$")
    set(suite "${CMAKE_MATCH_1}")
  elseif(line MATCHES "^  ([A-Za-z0-9_/]+)")
    eilbote_add_scenario("${suite}.${CMAKE_MATCH_1}" "${suite}.${CMAKE_MATCH_1}" COST 1000)
  endif()
endforeach()

set(groups)
eilbote_list_tests("-${EILBOTE_LONG}" lines)
foreach(line IN LISTS lines)
  if(line MATCHES "^([A-Za-z0-9_/]+)\\.$")
    set(suite "${CMAKE_MATCH_1}")
  elseif(line MATCHES "^  [A-Za-z0-9_]+/([A-Za-z0-9_]+)")
    list(APPEND groups "${suite}|/${CMAKE_MATCH_1}")
  elseif(line MATCHES "^  [A-Za-z0-9_]+")
    list(APPEND groups "${suite}|")
  endif()
endforeach()
list(REMOVE_DUPLICATES groups)
foreach(group IN LISTS groups)
  string(REGEX MATCH "^(.*)\\|(.*)$" matched "${group}")
  set(name "${CMAKE_MATCH_1}${CMAKE_MATCH_2}")
  set(filter "${CMAKE_MATCH_1}.*${CMAKE_MATCH_2}-${EILBOTE_LONG}")
  # Of the groups, those with a broker or the whole table of Graph's faults take the longest.
  if(name MATCHES "^Brokers/|EveryFaultOfGraph|/Alerts")
    eilbote_add_scenario("${name}" "${filter}" COST 500)
  else()
    eilbote_add_scenario("${name}" "${filter}")
  endif()
endforeach()
