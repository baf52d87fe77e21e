#!/bin/bash
# Makes the Debian package of a build folder, for the tests that install it: package_test.sh FOLDER. What is wrong with
# its contents shows here: a file that others could write, a conffile that is not there, an empty field.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/tree.sh"
command -v dpkg-shlibdeps >/dev/null || left_out "dpkg-dev is not installed"
cd "${1:?package_test.sh FOLDER}"
umask 022
rm -rf packages
cpack --config CPackConfig.cmake >cpack.log 2>&1 || { cat cpack.log >&2; fail "cpack made no package"; }
package="$(ls packages/eilbote_*.deb)"

for field in Depends Description Maintainer Version; do
  [[ -n "$(dpkg-deb -f "$package" "$field")" ]] || fail "the package says nothing about $field"
done
[[ "$(dpkg-deb -f "$package" Depends)" == *libpq5* ]] || fail "the package does not depend on the libraries of the program"
list="$(dpkg-deb -c "$package")"
! grep -E '^.{5}w|^.{8}w' <<<"$list" || fail "others than root may write these"
! grep -v ' root/root ' <<<"$list" || fail "these are not root's"
while read -r file; do grep -qF " .$file" <<<"$list" || fail "the conffile $file is not in the package"; done \
  < <(dpkg-deb -I "$package" conffiles)
dpkg-deb --fsys-tarfile "$package" | tar -xO ./usr/bin/eilbote >packages/eilbote
! readelf -S packages/eilbote | grep -F .debug_ || fail "the program was not stripped"
rm packages/eilbote
dpkg-deb -I "$package" | grep -E '^ (Version|Depends):'
