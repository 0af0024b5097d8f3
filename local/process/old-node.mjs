// Plain JavaScript that every Node from 14 on can read: it runs before anything that an old Node cannot.
import { existsSync, readFileSync } from 'node:fs'
import process from 'node:process'

/** What to say where this Node is older than the package, or this repository, needs; null where it is not. */
export const oldNode = explainOldNode()

function explainOldNode() {
  const { name, engines } = JSON.parse(readFileSync(findManifest(), 'utf8'))
  const required = engines.node.replace('>=', '')
  const { node } = process.versions
  return isOlder(node, required)
    ? `${name} needs Node ${required} or newer; this is Node ${node} (${process.execPath}). Install a newer one: https://nodejs.org`
    : null
}

/** In a package this file is one folder deeper, in `dist/`. */
function findManifest() {
  const here = new URL('../../package.json', import.meta.url)
  return existsSync(here) ? here : new URL('../../../package.json', import.meta.url)
}

function isOlder(present, required) {
  const [major, minor] = present.split('.').map(Number)
  const [requiredMajor, requiredMinor = 0] = required.split('.').map(Number)
  return major === requiredMajor ? minor < requiredMinor : major < requiredMajor
}
