#!/bin/sh
# Writes a CA certificate, and the certificate and key of the EventStoreDB node of docker-compose.yml. Never overwrites a folder.
#   ca/ca.crt  for clients     node.crt, node.key  for the node
# The key of the CA is deleted, so it signs no other certificate. To renew the certificates, delete the folder and run this again.
set -eu

folder=${1:-certificates}
if [ -e "$folder" ]; then
  echo "$folder exists. It is not overwritten, because the event store and the services use its files." >&2
  exit 1
fi
if ! command -v openssl >/dev/null; then
  echo "openssl is not installed. It creates the certificates of the event store." >&2
  exit 1
fi

days=3650
# Other accounts of this machine cannot enter the folder. Its files can be read by any account, because the containers that they are
# mounted into run under accounts of their own.
umask 022
draft="$folder.$$"
mkdir -p "$draft/ca" "$draft/work"
chmod 700 "$draft"
trap 'rm -rf "$draft"' EXIT

cat >"$draft/work/ca.cnf" <<X
[req]
prompt = no
distinguished_name = subject
x509_extensions = ca
[subject]
CN = popsvc event store CA
[ca]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
X
# EventStoreDB expects this common name of its nodes.
cat >"$draft/work/node.cnf" <<X
[req]
prompt = no
distinguished_name = subject
[subject]
CN = eventstoredb-node
[node]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature, keyEncipherment
extendedKeyUsage = serverAuth, clientAuth
subjectAltName = DNS:eventstore, DNS:localhost, IP:127.0.0.1
X

log="$draft/work/openssl.log"
{
  openssl req -x509 -newkey rsa:3072 -nodes -sha256 -days "$days" -config "$draft/work/ca.cnf" \
    -keyout "$draft/work/ca.key" -out "$draft/ca/ca.crt" &&
    openssl req -newkey rsa:3072 -nodes -sha256 -config "$draft/work/node.cnf" \
      -keyout "$draft/node.key" -out "$draft/work/node.csr" &&
    openssl x509 -req -sha256 -days "$days" -in "$draft/work/node.csr" -CA "$draft/ca/ca.crt" -CAkey "$draft/work/ca.key" \
      -set_serial "0x$(openssl rand -hex 16)" -extfile "$draft/work/node.cnf" -extensions node -out "$draft/node.crt"
} >"$log" 2>&1 || {
  cat "$log" >&2
  exit 1
}
chmod 644 "$draft/node.key"
rm -rf "$draft/work"
mv "$draft" "$folder"
echo "wrote $folder"
