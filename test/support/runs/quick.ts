import type { ViteUserConfig } from 'vitest/config'

/** The configuration of `npm run test:quick`: tests without a running platform, and one test of the whole platform. */
export function quickRun(allTests: ViteUserConfig): ViteUserConfig {
  return {
    ...allTests,
    test: {
      ...allTests.test,
      include: [
        'test/{lib,project,local}/**/*.test.ts',
        'packages/engine/test/{transform,model}/**/*.test.ts',
        'test/docs/{decisions,paths}.test.ts',
        'test/webhooks/verify/verify.test.ts',
      ],
      exclude: ['test/lib/proof/differential.test.ts', 'test/project/containers.test.ts'],
    },
  }
}
