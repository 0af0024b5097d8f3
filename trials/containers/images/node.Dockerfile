# Replaces node:24-slim: the Node program that runs the tests, and npm. The context also has the certificates that this machine trusts,
# because the machine may reach the npm registry through a proxy with its own certificate.
FROM containers-test/debian
RUN groupadd --gid 1000 node && useradd --uid 1000 --gid node --create-home node
COPY certificates.pem /etc/ssl/certs/ca-certificates.crt
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
COPY npm.tgz /tmp/npm.tgz
COPY node /usr/local/bin/node
RUN mkdir -p /usr/local/lib/node_modules/npm \
  && tar xzf /tmp/npm.tgz --strip-components=1 -C /usr/local/lib/node_modules/npm \
  && ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
  && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx \
  && rm /tmp/npm.tgz
