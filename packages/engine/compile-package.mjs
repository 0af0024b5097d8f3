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
 * Compiles a package into a folder, which is emptied first: JavaScript with source maps, and the types of what it exports.
 *
 * @param options.project the path of its `tsconfig.json`
 * @param options.exported the module whose types are kept, with those that it refers to; its path in the folder
 */
export function compilePackage({ project, dist, exported }) {
  rmSync(dist, { recursive: true, force: true })
  compile('--removeComments', '--sourceMap')
  // Types keep their comments, which editors show.
  compile('--declaration', '--emitDeclarationOnly')
  const types = typesOf(dist, exported)
  for (const file of globSync('**/*.d.ts', { cwd: dist }))
    if (!types.has(file)) rmSync(join(dist, file))
  for (const file of globSync('**/*.js.map', { cwd: dist })) keepLines(join(dist, file))

  function compile(...flags) {
    // `npm run types` has checked them, with all others.
    const args = [COMPILER, '-p', project, '--outDir', dist, '--noCheck', ...flags]
    const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
    if (status !== 0) throw new Error(`tsc -p ${project} failed`)
  }
}

/** The files of types that a module's refer to, directly or through others, with its own. */
function typesOf(dist, module, found = new Set()) {
  const file = `${module}.d.ts`
  if (found.has(file)) return found
  found.add(file)
  const imports = readFileSync(join(dist, file), 'utf8').matchAll(
    /['"](\.{1,2}\/[^'"]+)\.[jt]s['"]/g,
  )
  for (const [, path] of imports) typesOf(dist, join(dirname(file), path), found)
  return found
}

/** Keeps of a source map what a stack trace needs, the line: columns are two thirds of the maps' size. */
function keepLines(file) {
  const map = JSON.parse(readFileSync(file, 'utf8'))
  const mappings = encode(decode(map.mappings).map((segments) => segments.slice(0, 1)))
  writeFileSync(file, JSON.stringify({ ...map, mappings }))
}
