import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { requireValue } from '../lib/runtime/require-value.ts'

/**
 * The layers of folders and files, from top to bottom. An entry may import from itself and from lower layers, never from
 * higher layers. Entries of one layer (an inner list) may not import from each other.
 */
export const LAYERS: Readonly<Record<string, readonly (string | readonly string[])[]>> = {
  '.': [
    'test',
    ['trials', 'examples'],
    'scripts',
    'packages',
    'portal',
    ['webhooks', 'oidc'],
    'local',
    'lib',
  ],
  packages: ['platform', 'engine'],
  'packages/engine': [
    'test',
    ['index.ts', 'build.mjs'],
    ['cli', 'compile-package.mjs'],
    'testing',
    'project',
    'server.ts',
    'server',
    'metadata-store',
    'jobs',
    'runtime',
    'compiler',
    'session',
    'log',
    'outgoing',
    'postgres',
    'metadata',
    'config',
    'json',
    'errors.ts',
  ],
  portal: [
    'main.tsx',
    'router',
    'layouts',
    'pages',
    'team',
    'components',
    'session',
    'graphql',
    ['design', 'build'],
    'settings',
  ],
  webhooks: [
    'server.ts',
    'services.ts',
    'app.ts',
    ['openapi', 'monitoring', 'proxy', 'internal', 'auth-hook', 'hasura-actions', 'outbox'],
    ['precheck', 'keys', 'payments', 'prices', 'invites', 'session'],
    'mailed-links',
    ['verify', 'accounts', 'mail'],
    'relying-party',
    'route',
    'pages',
    'credentials',
    'generated',
  ],
  oidc: [
    'server.ts',
    'services.ts',
    'app.ts',
    ['endpoints', 'openapi'],
    'provider',
    'page',
    'storage',
    'clients',
    'errors',
    'generated',
  ],
  'packages/engine/server': [
    'serve-engine.ts',
    'http-server.ts',
    'routes.ts',
    'api',
    'websocket',
    'http',
  ],
  'packages/engine/runtime': [
    'run',
    'actions',
    'engine.ts',
    'remote',
    'callers',
    'schema-cache.ts',
    'database',
    'graphql-request.ts',
  ],
  'packages/engine/compiler': ['sql', 'plan', 'schema', 'model', 'ir', 'operators.ts'],
  'packages/platform': [
    'test',
    ['program.mjs', 'command.ts', 'index.ts', 'build.mjs'],
    'commands',
    'testing',
    'start-parts.ts',
    'data-folder.ts',
    ['first-data', 'parts'],
    'processes',
    'settings',
    ['facts.ts', 'progress.ts'],
  ],
  local: ['simulator', 'chain', 'postgres', 'caches', 'process'],
  lib: ['verification', ['proof', 'chain'], 'runtime', 'design'],
  'lib/verification': [
    'verification.ts',
    ['check', 'protocol-4'],
    ['roots', 'threads', 'record'],
    ['lookup', 'generated'],
  ],
  'lib/runtime': [
    'service',
    ['telemetry', 'web', 'request-log'],
    ['http', 'hasura', 'graphql'],
    ['limits', 'calls', 'stop-on-signal.ts'],
    ['config.ts', 'errors.ts', 'log', 'secrets', 'exact-json.ts', 'parse-in-words.ts'],
    ['config-values.ts', 'unknown-variables.ts', 'config-error.ts'],
    [
      'error-code.ts',
      'ready-made.ts',
      'nearest-name.ts',
      'require-value.ts',
      'steady-clock.ts',
      'too-busy.ts',
    ],
  ],
  'lib/proof/pairing': [
    ['groth16', 'mcl-verifier.ts'],
    ['algorithms', 'functions', 'verification-key.ts'],
    'code',
    'field',
    'wasm',
  ],
  'lib/proof/pairing/groth16': [
    'groth16-verifier.ts',
    'key-tables.ts',
    'input-sum.ts',
    'input-tables.ts',
  ],
  'lib/proof/pairing/algorithms': [
    ['miller-loop.ts', 'final-exponentiation.ts', 'fused-check.ts', 'decompression.ts'],
    'inversion.ts',
    'pairing-unit.ts',
  ],
  'lib/proof/pairing/functions': [
    'pairing-module.ts',
    ['fp12.ts', 'twist-points.ts', 'curve-points.ts', 'multiply-add-probe.ts'],
    'lines.ts',
  ],
  'lib/proof/pairing/code': [
    'define-function.ts',
    'element-arithmetic.ts',
    'kernels.ts',
    'reduction.ts',
    'montgomery.ts',
    'column.ts',
    'exact-product.ts',
  ],
  'lib/proof/pairing/field': [
    'curve-constants.ts',
    'fp2.ts',
    'size.ts',
    'limbs.ts',
    'loop-digits.ts',
  ],
  trials: [['bench', 'containers', 'projects'], 'faults', ['fuzz', 'differential', 'acceptance']],
  'trials/bench': [
    'bench.ts',
    ['machine.ts', 'run-isolated.ts', 'measurement-process.ts'],
    'measurements.ts',
    'measurements',
    'contenders',
    'load',
    'report',
  ],
}

/**
 * Folders that could become separate repositories, each with the only other folders that it may import from. Examples may
 * use only packages from npm.
 */
export const INDEPENDENT_FOLDERS: Readonly<Record<string, readonly string[]>> = {
  examples: [],
  'packages/engine': ['lib/runtime', 'local/postgres', 'local/process', 'local/caches'],
  'lib/proof': [],
  lib: [],
}

/** An import between two files of the repository, as paths from its root. */
export type Import = { from: string; to: string }

/** Finds every import between our files, including imports of types. */
export function importsOf(files: readonly string[]): Import[] {
  return files.flatMap((from) => {
    const matches = readFileSync(from, 'utf8').matchAll(
      /(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+\.(?:ts|tsx|mjs))'/g,
    )
    return [...matches].map(([, path = '']) => ({ from, to: join(dirname(from), path) }))
  })
}

/** The folders with our code. */
export const FOLDERS: readonly string[] = requireValue(
  LAYERS['.'],
  'the layers of the folders',
).flat()

/** Matches built packages and npm's packages. */
export const BUILD_OUTPUT = '**/{dist,node_modules}/**'

/** True for a test or a test helper. The tests of a package may use the helpers in `test/`. */
export function isTest(path: string): boolean {
  return /^(packages\/\w+\/)?test\//.test(path)
}

/** Returns all of our source files. */
export function sourceFiles(): string[] {
  const files = globSync(`{${FOLDERS.join(',')}}/**/*.{ts,tsx,mjs,jsx}`, {
    exclude: [BUILD_OUTPUT],
  })
  return files.sort()
}
