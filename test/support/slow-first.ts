import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take longest, in the order in which they start: begun last, one of them would run alone at the end. */
const SLOW_FILES = [
  'test/hasura/leak.test.ts',
  'test/proof/differential.test.ts',
  'test/oidc/page.test.ts',
  'test/webhooks/payments/refresh-transactions.test.ts',
  'test/webhooks/proxy/forward-sockets.test.ts',
  'test/webhooks/prices/prices.test.ts',
  'test/engine/cases/graphql.test.ts',
  'test/engine/cases/api.test.ts',
  'test/docs/guide.test.ts',
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
