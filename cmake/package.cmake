# What is installed, and the Debian package made of it (`./dev package`, by CPack). Nothing is built for it: the program is
# there, and the man page and the completions are what it prints about itself.
include(GNUInstallDirs)

# Otherwise cpack would build the tests first.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)

install(TARGETS eilbote RUNTIME DESTINATION bin)
install(FILES deploy/systemd/eilbote.service DESTINATION lib/systemd/system)
install(FILES deploy/debian/eilbote.toml DESTINATION /etc/eilbote)
install(FILES deploy/debian/eilbote.env DESTINATION /etc/eilbote PERMISSIONS OWNER_READ OWNER_WRITE)
install(FILES deploy/debian/copyright DESTINATION share/doc/eilbote)
install(DIRECTORY docs/ DESTINATION share/doc/eilbote FILES_MATCHING PATTERN "*.md" PATTERN "*.yaml"
  PATTERN decisions EXCLUDE)
install(DIRECTORY deploy/prometheus deploy/grafana deploy/keycloak deploy/vault deploy/airflow
  DESTINATION share/doc/eilbote/examples OPTIONAL PATTERN __pycache__ EXCLUDE)
install(SCRIPT cmake/install_described.cmake)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME eilbote)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The maintainers of Eilbote <maintainers@eilbote.example>")
set(CPACK_DEBIAN_PACKAGE_SECTION mail)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "durable delivery of mails and webhooks
Takes mails and webhooks over HTTP, commits them to SQLite or PostgreSQL before
it says yes, and delivers them by SMTP, Microsoft Graph or HTTP, with retries,
limits, order within groups, and a record of what became of each.")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "ca-certificates, init-system-helpers, passwd")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "postgresql, rabbitmq-server")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
foreach(script conffiles postinst prerm postrm)
  list(APPEND CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/deploy/debian/${script})
endforeach()
include(CPack)
