// For ./dev coverage alone (EILBOTE_COVERAGE): the linker sends every _exit here. The children of the simulation end by it, and the program
// when a check of the doctor hangs; without this they would leave none of their counts.
extern "C" {
void __gcov_dump();
[[noreturn]] void __real__exit(int code);
[[noreturn]] void __wrap__exit(int code) {
  __gcov_dump();
  __real__exit(code);
}
}
