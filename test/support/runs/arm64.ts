import type { ViteUserConfig } from 'vitest/config'
import { ARM64_NODE } from '../../../scripts/arm64-node.ts'

/** Emulates only the processes that vitest starts for test files. vitest itself uses this machine's Node. */
process.execPath = ARM64_NODE

const START_CACHE = ['--import', './local/caches/start-cache.mjs']

/** The tests that run the generated code. The other tests compute with bigints or choose a verifier. */
const ARITHMETIC =
  'test/lib/proof/pairing/{exactness,key-tables,pairing-parts,random-proofs,subgroup}.test.ts'

/**
 * The configuration of `npm run test:arm64`. Runs the tests of the pairing engine on an emulated arm64 with V8's default
 * compilers. Runs the tests of the generated code again with only the quick compiler, and with only the optimising compiler.
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
      // Long enough for an emulator, which is about fifty times slower; stops only tests that hang.
      testTimeout: 1_200_000,
      hookTimeout: 1_200_000,
      expect: { poll: { timeout: 300_000 } },
    },
  }
}
