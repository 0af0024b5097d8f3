import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The slowest files, in the order in which they start. If a slow file started last, it would run alone at the end. */
const SLOW_FILES = [
  'test/portal/wide-pages.test.ts',
  'test/portal/narrow-pages.test.ts',
  'test/webhooks/invites/accept-invite.test.ts',
  'packages/platform/test/commands.test.ts',
  'test/portal/account.test.ts',
  'test/webhooks/invites/invites.test.ts',
  'test/portal/app.test.ts',
  'test/docs/idkit-page.test.ts',
  'test/webhooks/server.test.ts',
  'test/webhooks/openapi/contract.test.ts',
  'test/pages/docs.test.ts',
  'test/docs/guide.test.ts',
  'test/trials/differential/differential.test.ts',
  'test/portal/try-it.test.ts',
  'test/portal/payments.test.ts',
  'test/local/simulator/circuit.test.ts',
  'packages/engine/test/package/package.test.ts',
  'packages/platform/test/outside-hasura.test.ts',
  'test/portal/debug-proof.test.ts',
  'test/hasura/leak-by-mutation.test.ts',
  'packages/engine/test/database/recovery.test.ts',
  'packages/engine/test/api/test-hasura.test.ts',
  'packages/engine/test/cases/api.test.ts',
  'test/webhooks/payments/refresh-transactions.test.ts',
  'packages/platform/test/running.test.ts',
  'packages/platform/test/server.test.ts',
  'test/oidc/page/page.test.ts',
  'test/webhooks/processes.test.ts',
  'test/webhooks/proxy/forward-sockets.test.ts',
]

/** Starts the slow files first, then the other files in vitest's order. */
export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const index = SLOW_FILES.findIndex((name) => moduleId.endsWith(name))
      return index === -1 ? SLOW_FILES.length : index
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}
