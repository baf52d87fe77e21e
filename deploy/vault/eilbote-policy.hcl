# What Eilbote may do in Vault: read its own secrets of the KV engine (version 2) at the mount `secret`, and keep its token alive.
# It never writes, lists or deletes. The paths are those of README.md.

path "secret/data/eilbote/*" {
  capabilities = ["read"]
}

# Also in Vault's policy `default`; here for tokens that are made without it.
path "auth/token/renew-self" {
  capabilities = ["update"]
}

path "auth/token/lookup-self" {
  capabilities = ["read"]
}
