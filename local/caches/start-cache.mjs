// Node strips types and compiles anew at every start. Loaded by `node --import`, this caches the results in
// `.cache/`, by a hash of the source: a start takes half the time, and the stripper's 25 MB are never loaded.
// It is plain JavaScript, as it runs before anything can be stripped; everything works without it too.
import crypto from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'
import { oldNode } from '../process/old-node.mjs'

if (oldNode !== null) {
  process.stderr.write(`${oldNode}\n`)
  process.exit(1)
}
// Not imported by their names, which an old Node does not know.
const { hash } = crypto
const { enableCompileCache, registerHooks, stripTypeScriptTypes } = module
const folder = fileURLToPath(new URL('../../.cache/start/', import.meta.url))

enableCompileCache(`${folder}compiled`)
registerHooks({
  load(url, context, next) {
    if (!isOwnTypeScript(url)) return next(url, context)
    return { format: 'module', source: stripped(fileURLToPath(url)), shortCircuit: true }
  },
})

function isOwnTypeScript(url) {
  const { protocol, pathname } = new URL(url)
  return protocol === 'file:' && pathname.endsWith('.ts') && !pathname.includes('/node_modules/')
}

/** The source without types. A cache entry begins with a hash of the source and of Node's version. */
function stripped(path) {
  const text = readFileSync(path, 'utf8')
  const origin = `// ${hash('sha256', process.version + text)}\n`
  const entry = `${folder}${hash('sha256', path)}.mjs`
  const kept = readIfThere(entry)
  if (kept?.startsWith(origin)) return kept.slice(origin.length)
  const source = quietly(() => stripTypeScriptTypes(text))
  keep(entry, origin + source)
  return source
}

/** Node warns that calling its stripper is experimental, though it runs the same one by itself. */
function quietly(strip) {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return strip()
  } finally {
    process.emitWarning = emitWarning
  }
}

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

/** Written whole or not at all, as other processes may read it meanwhile; failing to write does no harm. */
function keep(file, text) {
  const draft = `${file}.${process.pid}`
  try {
    mkdirSync(folder, { recursive: true })
    writeFileSync(draft, text)
    renameSync(draft, file)
  } catch {}
}
