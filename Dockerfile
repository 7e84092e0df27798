# syntax=docker/dockerfile:1

# One image a service; what is compiled and installed is shared by all of them.
#   docker build --target command-api .

FROM node:24-slim AS manifests
WORKDIR /app
COPY package.json package-lock.json ./
COPY contracts/package.json contracts/
COPY domain/package.json domain/
COPY platform/package.json platform/
COPY http-kit/package.json http-kit/
COPY read-models/package.json read-models/
COPY ops-api/package.json ops-api/
COPY command-api/package.json command-api/
COPY projectors/package.json projectors/
COPY query-api/package.json query-api/
COPY client/package.json client/
COPY cli/package.json cli/
COPY console/package.json console/
COPY embedded/package.json embedded/
COPY tools/package.json tools/
COPY test/package.json test/
# The engines for one machine are large and not used here, so embedded, tools and test are left out.
ENV WORKSPACES="-w contracts -w domain -w platform -w http-kit -w read-models -w ops-api -w command-api -w projectors -w query-api -w client -w cli -w console"

FROM manifests AS build
RUN npm ci --include-workspace-root --ignore-scripts --no-audit --no-fund $WORKSPACES
COPY tsconfig.base.json ./
COPY contracts/ contracts/
COPY domain/ domain/
COPY platform/ platform/
COPY http-kit/ http-kit/
COPY read-models/ read-models/
COPY ops-api/ ops-api/
COPY command-api/ command-api/
COPY projectors/ projectors/
COPY query-api/ query-api/
COPY client/ client/
COPY cli/ cli/
COPY console/ console/
# The types of client, cli and console are generated from the OpenAPI documents.
COPY docs/reference/openapi/ docs/reference/openapi/
COPY tools/build/ tools/build/
RUN node tools/build/generate-api-types.mjs && node node_modules/typescript-7/bin/tsc -b command-api projectors query-api cli console && node console/build.mjs

FROM manifests AS modules
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund $WORKSPACES

FROM node:24-slim AS runtime
ENV NODE_ENV=production
WORKDIR /app
COPY LICENSE ./
COPY --from=modules /app/ ./
COPY --from=build /app/contracts/dist/ contracts/dist/
COPY --from=build /app/domain/dist/ domain/dist/
COPY --from=build /app/platform/dist/ platform/dist/
COPY --from=build /app/http-kit/dist/ http-kit/dist/
COPY --from=build /app/read-models/dist/ read-models/dist/
COPY --from=build /app/ops-api/dist/ ops-api/dist/
COPY --from=build /app/command-api/dist/ command-api/dist/
COPY --from=build /app/projectors/dist/ projectors/dist/
COPY --from=build /app/query-api/dist/ query-api/dist/
COPY --from=build /app/client/dist/ client/dist/
COPY --from=build /app/cli/dist/ cli/dist/
COPY --from=build /app/console/dist/ console/dist/
COPY cli/bin/ cli/bin/
COPY docs/mappings/ docs/mappings/
COPY deploy/is-ready.mjs deploy/
# Uploaded files; a volume that is mounted here has this owner.
RUN mkdir /data && chown node:node /data
USER node

FROM runtime AS command-api
EXPOSE 8081
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "deploy/is-ready.mjs", "8081"]
CMD ["node", "--enable-source-maps", "command-api/dist/main.js"]

FROM runtime AS worker
EXPOSE 8083
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "deploy/is-ready.mjs", "8083"]
# Left to itself, Node lets the heap of a process that streams grow before it collects anything.
CMD ["node", "--enable-source-maps", "--max-old-space-size=256", "command-api/dist/worker-main.js"]

FROM runtime AS projectors
EXPOSE 8082
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "deploy/is-ready.mjs", "8082"]
CMD ["node", "--enable-source-maps", "projectors/dist/main.js"]

FROM runtime AS query-api
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "deploy/is-ready.mjs", "8080"]
CMD ["node", "--enable-source-maps", "query-api/dist/main.js"]
