// Builds what npm publishes, in `dist/` or in the folder that is named: JavaScript with source maps, and the types of what
// is exported. Only the package needs it: in this repository the sources run as they are.
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { decode, encode } from '@jridgewell/sourcemap-codec'

const folder = dirname(fileURLToPath(import.meta.url))
const dist = resolve(process.argv[2] ?? join(folder, 'dist'))
const compiler = join(
  dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
  'bin/tsc',
)

rmSync(dist, { recursive: true, force: true })
compile('--removeComments', '--sourceMap')
compile('--declaration', '--emitDeclarationOnly')
const exported = ['index', 'testing/start-database', 'testing/start-engine', 'testing/test-engine']
for (const file of globSync('**/*.d.ts', { cwd: dist }))
  if (!exported.some((name) => file === join('engine', `${name}.d.ts`))) rmSync(join(dist, file))
for (const file of globSync('**/*.js.map', { cwd: dist })) keepLines(join(dist, file))
cpSync(join(folder, 'http/console'), join(dist, 'engine/http/console'), { recursive: true })
chmodSync(join(dist, 'engine/command-line/command.js'), 0o755)

function compile(...flags) {
  const args = [compiler, '-p', join(folder, 'tsconfig.build.json'), '--outDir', dist, ...flags]
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}

/** Keeps of a source map what a stack trace needs, the line: columns are two thirds of the maps' size. */
function keepLines(file) {
  const map = JSON.parse(readFileSync(file, 'utf8'))
  const mappings = encode(decode(map.mappings).map((segments) => segments.slice(0, 1)))
  writeFileSync(file, JSON.stringify({ ...map, mappings }))
}
