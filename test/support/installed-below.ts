import { readFileSync } from 'node:fs'

/** A package of the lock. */
type Installed = { path: string; license: string }

/** The packages that these install, themselves included, by the lock of this repository. */
export function installedBelow(names: readonly string[]): Installed[] {
  const lock = readLock()
  const found = new Map<string, Installed>()
  const add = (name: string, from: string) => {
    const path = pathsUpFrom(from, name).find((each) => lock[each])
    // Absent is what is optional and made for another machine.
    if (path === undefined || found.has(path)) return
    const { license = TOLD_OTHERWISE[path] ?? 'none', dependencies = {} } = lock[path] ?? {}
    found.set(path, { path, license })
    for (const each of Object.keys(dependencies)) add(each, path)
  }
  for (const name of names) add(name, '')
  return [...found.values()]
}

/** The packages of the lock, with what each installs. */
function readLock(): Record<string, { license?: string; dependencies?: object }> {
  return JSON.parse(readFileSync('package-lock.json', 'utf8')).packages
}

/** Where Node looks for a package that another one imports, in this order. */
function pathsUpFrom(from: string, name: string): string[] {
  const here = `${from && `${from}/`}node_modules/${name}`
  if (from === '') return [here]
  return [
    here,
    ...pathsUpFrom(from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name),
  ]
}

/** What a package says of itself in a form that the lock does not take over. */
const TOLD_OTHERWISE: Record<string, string> = { 'node_modules/esprima': 'BSD-2-Clause' }
