import { availableParallelism } from 'node:os'
import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { SlowFilesFirst } from './test/support/slow-first.ts'

/** `npm test` runs all tests. */
const all: ViteUserConfig = {
  plugins: [
    {
      name: 'resolve packages like Node',
      // Otherwise Vitest imports the development sources of some packages, such as @arethetypeswrong/core, which Node cannot
      // read.
      configResolved({ ssr }) {
        if (ssr.resolve) ssr.resolve.conditions = ['node']
      },
    },
  ],
  test: {
    include: ['{test,packages/*/test}/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', './test/support/summary-reporter.ts'],
    // The offset of this time zone is not a whole number of hours, so a wrong time zone is noticed.
    env: { TZ: 'Australia/Lord_Howe' },
    // Long timeouts, which end only tests that hang, even on a slow machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // Files share imported modules: importing them again for each file took a third of the time.
    isolate: false,
    sequence: { sequencer: SlowFilesFirst },
    // Node imports the modules of tests directly, as in the services. This saves a tenth of the time compared with Vite.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    execArgv: [
      // Halves the start time of the tests' threads.
      ...['--import', './local/caches/start-cache.mjs'],
      ...['--import', './test/support/raw-imports.mjs'],
      // Tests use every core, so garbage is collected seldom and on the main thread.
      ...['--single-threaded-gc', '--min-semi-space-size=64', '--max-semi-space-size=64'],
      '--initial-heap-size=768',
    ],
    // A test file waits for a third of its time, for a process to start or for a timer.
    maxWorkers: availableParallelism() * 2,
  },
}

/** Chooses the run by its mode, such as `vitest --mode quick` for `npm run test:quick`. Imports only the module of this run. */
export default defineConfig(async ({ mode }): Promise<ViteUserConfig> => {
  if (mode === 'quick') return (await import('./test/support/runs/quick.ts')).quickRun(all)
  if (mode === 'hasura') return (await import('./test/support/runs/hasura.ts')).hasuraRun
  if (mode === 'arm64') return (await import('./test/support/runs/arm64.ts')).arm64Run
  return all
})
