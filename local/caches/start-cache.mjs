// Caches sources without their types, and compiled code, in `.cache/start/`. `node --import` loads this module. Without
// the cache, Node strips types and compiles at every start, which takes twice the time and 25 MB for the stripper. This
// module is plain JavaScript, because types would load the stripper, and an old Node could not read them.
import crypto from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'
import { oldNode } from '../process/old-node.mjs'

if (oldNode !== null) {
  process.stderr.write(`${oldNode}\n`)
  process.exit(1)
}
// Not imported by name, because an old Node does not have these functions.
const { hash } = crypto
const { enableCompileCache, registerHooks, stripTypeScriptTypes } = module
const folder = fileURLToPath(new URL('../../.cache/start/', import.meta.url))

enableCompileCache(`${folder}compiled`)
registerHooks({
  load(url, context, next) {
    if (!isOwnTypeScript(url)) return next(url, context)
    return { format: 'module', source: stripTypes(fileURLToPath(url)), shortCircuit: true }
  },
})

function isOwnTypeScript(url) {
  const { protocol, pathname } = new URL(url)
  return protocol === 'file:' && pathname.endsWith('.ts') && !pathname.includes('/node_modules/')
}

/** Returns the source without types. A cache entry begins with a hash of the source and of Node's version. */
function stripTypes(path) {
  const text = readFileSync(path, 'utf8')
  const origin = `// ${hash('sha256', process.version + text)}\n`
  const entry = `${folder}${hash('sha256', path)}.mjs`
  const cached = readOrNull(entry)
  if (cached?.startsWith(origin)) return cached.slice(origin.length)
  const source = withoutWarnings(() => stripTypeScriptTypes(text))
  writeEntry(entry, origin + source)
  return source
}

/** Suppresses Node's warning that its type stripper is experimental. */
function withoutWarnings(strip) {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return strip()
  } finally {
    process.emitWarning = emitWarning
  }
}

function readOrNull(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

/** Writes a draft and renames it, because other processes may read the file at the same time. Ignores a failure. */
function writeEntry(file, text) {
  const draft = `${file}.${process.pid}`
  try {
    mkdirSync(folder, { recursive: true })
    writeFileSync(draft, text)
    renameSync(draft, file)
  } catch {}
}
