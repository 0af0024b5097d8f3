import type { ViteUserConfig } from 'vitest/config'

const {
  HASURA_GRAPHQL_ENDPOINT: url = '',
  HASURA_GRAPHQL_ADMIN_SECRET: adminSecret = '',
  HASURA_GRAPHQL_STRINGIFY_NUMERIC_TYPES: stringify = 'false',
} = process.env
const environment = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) =>
    name.startsWith('HASURA_GRAPHQL_') && value !== undefined ? [[name, value]] : [],
  ),
)

/** The tests of the platform that depend on Hasura's behaviour, and not on the way the embedded engine is started. */
const PLATFORM = [
  'test/hasura/{foreign-inserts,leak,leak-by-mutation,permissions,quotas,visible-fields}.test.ts',
  'test/webhooks/accounts/*.test.ts',
  'test/webhooks/hasura-actions/*.test.ts',
  'test/webhooks/invites/*.test.ts',
  'test/webhooks/mailed-links/*.test.ts',
  'test/webhooks/outbox/*.test.ts',
  'test/webhooks/payments/*.test.ts',
  'test/webhooks/proxy/{broken-answers,costly-requests,forward,forward-sockets,subscription-clients}.test.ts',
]

/**
 * The configuration of `npm run test:hasura`. Runs the engine's cases on a running Hasura, and the platform's tests if Hasura has
 * the setting that the platform needs (test/README.md). Files run one after another, because all use the metadata of Hasura.
 */
export const hasuraRun: ViteUserConfig = {
  test: {
    include: ['packages/engine/test/cases/*.test.ts', ...(stringify === 'true' ? PLATFORM : [])],
    globalSetup: ['test/support/hasura/global-setup.ts'],
    provide: { hasura: { url: url.replace(/\/$/, ''), adminSecret, environment } },
    reporters: ['default', './test/support/summary-reporter.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    fileParallelism: false,
  },
}
