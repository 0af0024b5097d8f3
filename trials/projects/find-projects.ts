import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'

/** A Hasura project in a checkout. */
export type FoundProject = {
  /** The repository's name with its owner's, and the folder, where the repository has several projects. */
  name: string
  /** The repository. */
  checkout: string
  /** The folder with the metadata folder, and mostly with config.yaml. */
  folder: string
}

/** Copies that tools make, and examples inside installed packages. */
const LEFT_OUT = new Set(['node_modules', '.git', 'dist'])

/** Every Hasura project of config v3 in a checkout, in the order of their paths. */
export function findProjects(given: string): FoundProject[] {
  const checkout = resolve(given)
  const find = (pattern: string) =>
    globSync(pattern, { cwd: checkout, exclude: (path) => LEFT_OUT.has(basename(path)) })
  // Hasura's image needs no config.yaml; with one the metadata may be elsewhere.
  const layouts = find('**/metadata/databases/databases.yaml').map((path) => join(path, '../../..'))
  const configs = find('**/config.yaml')
    .filter((path) => VERSION_3.test(readFileSync(join(checkout, path), 'utf8')))
    .map((path) => dirname(path))
    .filter((folder) => existsSync(join(checkout, folder, 'migrations')))
  const folders = [...new Set([...layouts, ...configs])].sort()
  const name = relative(dirname(dirname(checkout)), checkout)
  return folders.map((folder) => ({
    name: folders.length === 1 ? name : `${name} (${folder})`,
    checkout,
    folder: join(checkout, folder),
  }))
}

const VERSION_3 = /^version: *["']?3/m
