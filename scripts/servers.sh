# Mail servers, brokers and others that the tests and the bench run: where they come from and what of them is fetched. Sourced by
# ./dev, whose say, as_root and install it uses.

# Servers to test and measure against, unpacked into build/servers. Not installed: this machine would become a mail
# server or a broker by it, and Debian's mail servers exclude each other. Of what they need, only the libraries come onto the machine.
mail_servers=(postfix sasl2-bin exim4-daemon-light python3-aiosmtpd python3-attr python3-public)

server_libraries() {
  local package
  for package in build/servers/*.deb; do
    dpkg-deb -f "$package" Depends | tr ',' '\n' | sed 's/^ *//; s/[ (|].*//' | grep '^lib' | grep -v '^libjs-' || true
  done
  echo libsasl2-modules  # the logins of Postfix
}

# fetch_servers PACKAGE...: those that are not there yet, and the libraries.
fetch_servers() {
  local package folder=build/servers/download
  missing=()
  for package in "$@"; do [[ -f "build/servers/$package.deb" ]] || missing+=("$package"); done
  if [[ ${#missing[@]} -gt 0 ]]; then
    say "fetching into build/servers: ${missing[*]}"
    rm -rf "$folder" && mkdir -p "$folder" || return
    (cd "$folder" && apt-get download -qq "${missing[@]}" 2>/dev/null) ||
      { as_root apt-get update -qq && (cd "$folder" && apt-get download -qq "${missing[@]}"); } || return
    for package in "${missing[@]}"; do
      rm -rf "build/servers/$package" && dpkg -x "$folder/$package"_*.deb "build/servers/$package" &&
        mv "$folder/$package"_*.deb "build/servers/$package.deb" || return
    done
    rm -rf "$folder"
  fi
  install servers
}

# RabbitMQ, and the Erlang it runs on, in one tree: the tests run brokers of their own, and this machine gets none. Erlang's
# start script has the place it would be installed in; that is changed to where it is.
broker_packages=(rabbitmq-server erlang-asn1 erlang-base erlang-crypto erlang-eldap erlang-ftp erlang-inets erlang-mnesia
  erlang-os-mon erlang-parsetools erlang-public-key erlang-runtime-tools erlang-snmp erlang-ssl erlang-syntax-tools
  erlang-tftp erlang-tools erlang-xmerl)

fetch_broker() {
  local package tree="$PWD/build/servers/rabbitmq-server"
  # The start script is changed last: with it, everything is there.
  if ! grep -qs "^ *ROOTDIR=$tree/" "$tree/usr/lib/erlang/bin/erl"; then
    rm -rf "$tree" && for package in "${broker_packages[@]}"; do rm -f "build/servers/$package.deb"; done
  fi
  fetch_servers "${broker_packages[@]}" || return
  [[ -d build/servers/erlang-base ]] || return 0
  for package in "${broker_packages[@]:1}"; do
    cp -a "build/servers/$package/." "$tree" && rm -rf "build/servers/$package" || return
  done
  sed -i "s|ROOTDIR=/usr/lib/erlang|ROOTDIR=$tree/usr/lib/erlang|" "$tree/usr/lib/erlang/bin/erl"
}

# For the conformance tests and the scenarios.
offer_broker() {
  (fetch_broker) || say "NO RABBITMQ here: the tests with it will be skipped"
  [[ "$(node --version 2>/dev/null)" =~ ^v([0-9]+) && ${BASH_REMATCH[1]} -ge 20 ]] ||
    say "NODE.JS BEFORE 20 here: the tests with SQS (npm fauxqs) will be skipped"
}

# For the scenarios. What cannot be had here is skipped by them; that it is so is said here as well.
offer_servers() {
  (fetch_servers "${mail_servers[@]}") || say "NO MAIL SERVERS here: the scenarios with Postfix and others will be skipped"
  (fetch_servers pgbouncer) || say "NO PGBOUNCER here: the scenarios with it will be skipped"
  (fetch_servers prometheus) || say "NO PROMETHEUS here: the scenarios with it, and promtool, will be skipped"
  if [[ $EUID -ne 0 ]]; then say "NOT ROOT: the scenarios with Postfix and Exim will be skipped"; fi
}
