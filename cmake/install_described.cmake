# Run by `cmake --install` (cmake/package.cmake): the man page and the completions, which the program prints itself, and
# the changelog; compressed where Debian wants it.
set(root $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX})

# describe(FILE WORD...): what `eilbote describe WORD...` prints becomes the file.
function(describe file)
  execute_process(COMMAND ${root}/bin/eilbote describe ${ARGN} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE ${root}/${file} "${text}")
endfunction()

function(compress file)
  execute_process(COMMAND gzip -9nf ${root}/${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

describe(share/man/man1/eilbote.1 man)
compress(share/man/man1/eilbote.1)
describe(share/bash-completion/completions/eilbote completion bash)
describe(share/zsh/vendor-completions/_eilbote completion zsh)
describe(share/fish/vendor_completions.d/eilbote.fish completion fish)

configure_file(${CMAKE_CURRENT_LIST_DIR}/../CHANGELOG.md ${root}/share/doc/eilbote/changelog COPYONLY)
compress(share/doc/eilbote/changelog)
