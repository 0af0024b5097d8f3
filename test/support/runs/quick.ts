import type { ViteUserConfig } from 'vitest/config'

/** `npm run test:quick`: what needs no running platform, and one journey through all of it. */
export function quickRun(all: ViteUserConfig): ViteUserConfig {
  return {
    ...all,
    test: {
      ...all.test,
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
