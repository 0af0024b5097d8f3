import { defineConfig } from 'vitest/config'

const { HASURA_GRAPHQL_ENDPOINT: url = '', HASURA_GRAPHQL_ADMIN_SECRET: adminSecret = '' } =
  process.env
const environment = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) =>
    name.startsWith('HASURA_GRAPHQL_') && value !== undefined ? [[name, value]] : [],
  ),
)

/** `npm run test:hasura`: the engine's cases and the leak tests on a running Hasura, one file after another. */
export default defineConfig({
  test: {
    include: ['test/engine/cases/*.test.ts', 'test/hasura/leak*.test.ts'],
    provide: { hasura: { url: url.replace(/\/$/, ''), adminSecret, environment } },
    reporters: ['default', './test/support/summary-reporter.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
})
