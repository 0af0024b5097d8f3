# One image per service, with Node, the npm packages and the service's folders. Only the portal and the engine need a build.

FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# The only optional dependency is Hasura's command line, for people at a terminal. No service runs code of a workspace.
# Types and source maps are half of the installed files, and are not read at run time.
RUN npm pkg delete optionalDependencies workspaces \
  && npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -rf node_modules/typescript node_modules/@typescript \
  && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

FROM node:24-slim AS tools
WORKDIR /app
COPY package.json package-lock.json tsconfig.json ./
COPY packages/engine/package.json packages/engine/package.json
COPY portal/package.json portal/package.json
RUN npm pkg delete optionalDependencies && npm ci --ignore-scripts --no-audit --no-fund
COPY lib lib
COPY local local

FROM tools AS portal
COPY webhooks webhooks
COPY oidc oidc
COPY portal portal
COPY examples/idkit/page.jsx examples/idkit/page-2.jsx examples/idkit/
COPY examples/sign-in examples/sign-in
COPY examples/verify examples/verify
RUN node portal/build/command.ts built

# For Kubernetes: Hasura with its command line, the migrations and the metadata. Compose mounts the two folders instead.
FROM hasura/graphql-engine:v2.48.16.cli-migrations-v3 AS migrations
COPY hasura/migrations /hasura-migrations
COPY hasura/metadata /hasura-metadata

FROM node:24-slim AS service
ENV NODE_ENV=production
WORKDIR /app
COPY package.json ./
COPY --from=packages /app/node_modules node_modules
COPY lib lib
USER node

# The health checks send HTTP from a shell: starting Node takes thirty times the CPU, and is too slow under load.
FROM service AS webhooks
COPY webhooks webhooks
COPY --from=portal /app/built portal
EXPOSE 3000 9464
HEALTHCHECK --interval=10s --timeout=5s --start-period=180s --start-interval=1s \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/3000 && printf 'GET /healthz HTTP/1.0\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [ \"$status\" = 200 ]"]
CMD ["node", "webhooks/server.ts"]

FROM service AS oidc
COPY oidc oidc
EXPOSE 3001 9465
HEALTHCHECK --interval=10s --timeout=5s --start-period=180s --start-interval=1s \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/3001 && printf 'GET /healthz HTTP/1.0\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [ \"$status\" = 200 ]"]
CMD ["node", "--max-semi-space-size=64", "oidc/server.ts"]

# For an operator who runs the embedded engine instead of Hasura (docs/operations/engine.md): builds the npm package from
# these sources.
FROM tools AS engine-package
COPY packages/engine packages/engine
RUN node packages/engine/build.mjs \
  && npm pack --ignore-scripts --pack-destination / ./packages/engine \
  && mkdir /package \
  && tar -xzf /postgres-graphql-engine-*.tgz --strip-components=1 -C /package

# Installs the package's dependencies at the locked versions, without its optional peers. They are an embedded PostgreSQL and a
# console for development, and the modules that export traces.
FROM node:24-slim AS engine-dependencies
WORKDIR /app
COPY package.json package-lock.json ./
COPY --from=engine-package /package packages/engine
RUN npm pkg delete peerDependencies peerDependenciesMeta --prefix packages/engine \
  && npm ci --omit=dev --ignore-scripts --workspace packages/engine --no-audit --no-fund

FROM node:24-slim AS engine
ENV NODE_ENV=production
WORKDIR /app
COPY --from=engine-dependencies /app/node_modules node_modules
COPY --from=engine-dependencies /app/packages packages
COPY hasura hasura
USER node
EXPOSE 8080
CMD ["node_modules/.bin/postgres-graphql-engine", "serve", "--project", "hasura"]
