import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take longest, in the order in which they start: begun last, one of them would run alone at the end. */
const SLOW_FILES = [
  'test/docs/guide.test.ts',
  'test/platform/server.test.ts',
  'test/webhooks/payments/refresh-transactions.test.ts',
  'test/proof/differential.test.ts',
  'test/webhooks/server.test.ts',
  'test/webhooks/proxy/forward-sockets.test.ts',
  'test/simulator/circuit.test.ts',
  'test/engine/scheduler/event-trigger-commands.test.ts',
  'test/platform/running.test.ts',
  'test/hasura/leak.test.ts',
  'test/docs/idkit-page.test.ts',
  'test/oidc/page/page.test.ts',
]

/** Starts the slow files first, and the others in vitest's own order. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const found = SLOW_FILES.findIndex((name) => moduleId.endsWith(name))
      return found === -1 ? SLOW_FILES.length : found
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}
