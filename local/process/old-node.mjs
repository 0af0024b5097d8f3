// Plain JavaScript that Node 14 can parse, because it runs before code that an old Node cannot parse.
import { existsSync, readFileSync } from 'node:fs'
import process from 'node:process'

/** The error message if this Node is older than the package or this repository requires; null otherwise. */
export const oldNode = explainOldNode()

function explainOldNode() {
  const { name, engines } = JSON.parse(readFileSync(findManifest(), 'utf8'))
  const required = engines.node.replace('>=', '')
  const { node } = process.versions
  return isOlder(node, required)
    ? `${name} needs Node ${required} or newer; this is Node ${node} (${process.execPath}). Install a newer version: https://nodejs.org`
    : null
}

/** Finds package.json. In the npm package this file is one folder deeper, in `dist/`. */
function findManifest() {
  const here = new URL('../../package.json', import.meta.url)
  return existsSync(here) ? here : new URL('../../../package.json', import.meta.url)
}

function isOlder(present, required) {
  const [major, minor] = present.split('.').map(Number)
  const [requiredMajor, requiredMinor = 0] = required.split('.').map(Number)
  return major === requiredMajor ? minor < requiredMinor : major < requiredMajor
}
