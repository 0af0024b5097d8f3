import type { ViteUserConfig } from 'vitest/config'
import { ARM64_NODE } from '../../../scripts/arm64-node.ts'

/** vitest itself stays on this machine's Node; the processes that it starts for the files are emulated. */
process.execPath = ARM64_NODE

const START_CACHE = ['--import', './local/caches/start-cache.mjs']

/** What of the tests runs the generated code; the others compute with integers, or choose between verifiers. */
const ARITHMETIC =
  'test/lib/proof/pairing/{exactness,key-tables,pairing-parts,random-proofs,subgroup}.test.ts'

/**
 * `npm run test:arm64`: the tests of the pairing engine on an emulated arm64, as V8 compiles by default, quickly, and for
 * speed from the first run on.
 */
export const arm64Run: ViteUserConfig = {
  test: {
    reporters: ['default', './test/support/summary-reporter.ts'],
    projects: [
      onArm64(
        'both compilers',
        'test/lib/{proof/pairing/*,verification/threads/pairing-engine-choice}.test.ts',
        [],
      ),
      onArm64('the quick compiler', ARITHMETIC, ['--liftoff-only']),
      onArm64('the optimising compiler', ARITHMETIC, ['--no-liftoff']),
    ],
  },
}

function onArm64(name: string, include: string, v8Options: readonly string[]) {
  return {
    test: {
      name,
      include: [include],
      pool: 'forks' as const,
      isolate: false,
      execArgv: [...v8Options, ...START_CACHE],
      setupFiles: ['test/support/proof/pairing/on-arm64.ts'],
      // Only to stop what hangs: an emulator is some fifty times slower.
      testTimeout: 1_200_000,
      hookTimeout: 1_200_000,
      expect: { poll: { timeout: 300_000 } },
    },
  }
}
