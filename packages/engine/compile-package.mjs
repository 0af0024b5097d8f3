import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { decode, encode } from '@jridgewell/sourcemap-codec'

const COMPILER = join(
  dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
  'bin/tsc',
)

/**
 * Compiles a package to JavaScript with source maps and the types of its exports. Empties the output folder first.
 *
 * @param options.project the path of the package's `tsconfig.json`
 * @param options.dist the output folder
 * @param options.exported the exported module's path in `dist`; the types of other modules stay only if this module's types
 * import them
 */
export function compilePackage({ project, dist, exported }) {
  rmSync(dist, { recursive: true, force: true })
  compile('--removeComments', '--sourceMap')
  // The type files keep the comments, because editors show them.
  compile('--declaration', '--emitDeclarationOnly')
  const types = typesOf(dist, exported)
  for (const file of globSync('**/*.d.ts', { cwd: dist }))
    if (!types.has(file)) rmSync(join(dist, file))
  for (const file of globSync('**/*.js.map', { cwd: dist })) keepLines(join(dist, file))

  function compile(...flags) {
    // `npm run types` checks the types.
    const args = [COMPILER, '-p', project, '--outDir', dist, '--noCheck', ...flags]
    const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
    if (status !== 0) throw new Error(`tsc -p ${project} failed`)
  }
}

/** Returns the `.d.ts` file of a module, and all `.d.ts` files that it imports, directly or indirectly. */
function typesOf(dist, module, files = new Set()) {
  const file = `${module}.d.ts`
  if (files.has(file)) return files
  files.add(file)
  const imports = readFileSync(join(dist, file), 'utf8').matchAll(
    /['"](\.{1,2}\/[^'"]+)\.[jt]s['"]/g,
  )
  for (const [, path] of imports) typesOf(dist, join(dirname(file), path), files)
  return files
}

/** Removes the columns from a source map. Stack traces need only the lines, and columns are two thirds of its size. */
function keepLines(file) {
  const map = JSON.parse(readFileSync(file, 'utf8'))
  const mappings = encode(decode(map.mappings).map((segments) => segments.slice(0, 1)))
  writeFileSync(file, JSON.stringify({ ...map, mappings }))
}
