import { readFileSync } from 'node:fs'

/** A package in package-lock.json. */
type InstalledPackage = { path: string; license: string }

/** Lists these packages and their direct and indirect dependencies in package-lock.json, also optional ones. Ignores peer dependencies. */
export function listInstalledPackages(names: readonly string[]): InstalledPackage[] {
  const lock = readLock()
  const packages = new Map<string, InstalledPackage>()
  const add = (name: string, from: string) => {
    const path = pathsUpFrom(from, name).find((each) => lock[each])
    if (path === undefined || packages.has(path)) return
    const { license, ...manifest } = lock[path] ?? {}
    packages.set(path, { path, license: license ?? OTHER_LICENSES[path] ?? 'none' })
    const dependencies = { ...manifest.dependencies, ...manifest.optionalDependencies }
    for (const each of Object.keys(dependencies)) add(each, path)
  }
  for (const name of names) add(name, '')
  return [...packages.values()]
}

/** Reads the packages in package-lock.json by path. */
function readLock(): Record<
  string,
  { license?: string; dependencies?: object; optionalDependencies?: object }
> {
  return JSON.parse(readFileSync('package-lock.json', 'utf8')).packages
}

/** Lists the paths at which Node looks for a package that the package at `from` imports, in Node's order. */
function pathsUpFrom(from: string, name: string): string[] {
  const directPath = `${from && `${from}/`}node_modules/${name}`
  if (from === '') return [directPath]
  return [
    directPath,
    ...pathsUpFrom(from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name),
  ]
}

/** Licences that package-lock.json lacks, because the manifest states them in an old format. */
const OTHER_LICENSES: Record<string, string> = { 'node_modules/esprima': 'BSD-2-Clause' }
