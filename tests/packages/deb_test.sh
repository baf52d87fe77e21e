#!/bin/bash
# The Debian package, from install to purge, in a bare system: deb_test.sh FOLDER, where the package is. It installs with
# what it depends on, the command of its unit runs as its user and delivers a mail, a removal keeps what people wrote, a
# purge keeps nothing.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/tree.sh"
package="$(package_in "${1:?deb_test.sh FOLDER}")"
needs_a_tree

tree="$(mktemp -d)"
server=""
clean_up() {
  if [[ -n "$server" ]]; then stop "$server" KILL || true; fi
  rm -rf --one-file-system "$tree"
}
trap clean_up EXIT
make_tree "$tree"
cp "$package" "$tree/eilbote.deb"

apt() { in_tree "$tree" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends "$@" >"$tree/apt.log" 2>&1 ||
  { cat "$tree/apt.log" >&2; return 1; }; }
has() { [[ -e "$tree/$1" ]] || fail "$1 is not there, $2"; }
has_not() { [[ ! -e "$tree/$1" ]] || fail "$1 is there, $2"; }

step "install"
apt update || left_out "the archives cannot be reached"
apt install /eilbote.deb
in_tree "$tree" eilbote version
in_tree "$tree" eilbote config --config /etc/eilbote/eilbote.toml >/dev/null
for file in etc/eilbote/eilbote.toml usr/share/doc/eilbote/{copyright,changelog.gz,configuration.md,install.md} \
  usr/share/man/man1/eilbote.1.gz usr/share/bash-completion/completions/eilbote usr/share/zsh/vendor-completions/_eilbote \
  usr/share/fish/vendor_completions.d/eilbote.fish; do
  has "$file" "after an install"
done
[[ "$(stat -c %a "$tree/etc/eilbote/eilbote.env")" == 600 ]] || fail "others than root can read eilbote.env"
[[ "$(in_tree "$tree" stat -c '%U %a' /var/lib/eilbote)" == "eilbote 750" ]] || fail "/var/lib/eilbote is not eilbote's alone"
missing="$(in_tree "$tree" ldd /usr/bin/eilbote | grep 'not found' || true)"
[[ -z "$missing" ]] || fail "libraries without a dependency: $missing"

step "the unit's command, as the unit's user"
unit="$tree/usr/lib/systemd/system/eilbote.service"
of_unit() { sed -n "s/^$1=-\{0,1\}//p" "$unit"; }
echo 'EILBOTE_LISTEN=127.0.0.1:0' >>"$tree/$(of_unit EnvironmentFile)"
mapfile -t variables < <(grep '^[A-Z]' "$tree/$(of_unit EnvironmentFile)")
in_tree "$tree" setpriv --reuid "$(of_unit User)" --regid "$(of_unit Group)" --init-groups --no-new-privs --bounding-set=-all \
  env -C "$(of_unit WorkingDirectory)" "${variables[@]}" sh -c "umask $(of_unit UMask) && exec $(of_unit ExecStart)" \
  >"$tree/ready" 2>"$tree/server.log" &
server=$!
wait_for 30 grep -q '^eilbote ready on ' "$tree/ready" || { cat "$tree/server.log" >&2; fail "the service did not start"; }
url="$(sed -n 's/^eilbote ready on //p' "$tree/ready")"
curl -fsS "$url/health/ready" >/dev/null || fail "/health/ready does not answer"
in_tree "$tree" env EILBOTE_SERVER="$url" eilbote send --from a@example.org --to b@example.org --subject Hello --text Hi.
mail_arrived() { compgen -G "$tree/var/lib/eilbote/captured/*"; }
wait_for 30 mail_arrived || fail "the mail was not delivered"
stop "$server" TERM || fail "the service ended with $? after SIGTERM"
server=""

step "remove, and install again"
apt remove eilbote
has_not usr/bin/eilbote "after a removal"
has etc/eilbote/eilbote.env "no longer, after a removal"
grep -q '^EILBOTE_LISTEN=' "$tree/etc/eilbote/eilbote.env" || fail "what was written into eilbote.env is gone"
has var/lib/eilbote/eilbote.db "no longer, after a removal"
apt install /eilbote.deb
grep -q '^EILBOTE_LISTEN=' "$tree/etc/eilbote/eilbote.env" || fail "an install wrote over eilbote.env"
has var/lib/eilbote/eilbote.db "no longer, after another install"

step "purge"
apt purge eilbote
for path in usr/bin/eilbote etc/eilbote var/lib/eilbote usr/share/doc/eilbote; do has_not "$path" "after a purge"; done
! grep -q '^eilbote:' "$tree/etc/passwd" || fail "the user is still there after a purge"
step "all well"
