import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'

/** A Hasura project in a checkout. */
export type HasuraProject = {
  /** The owner and name of the repository. If the repository has several projects, also the folder. */
  name: string
  /** The folder of the repository. */
  checkout: string
  /** The folder of the project, which has the metadata folder and usually config.yaml. */
  folder: string
}

/** Folders with copies that tools make, and with examples of installed packages. */
const EXCLUDED_FOLDERS = new Set(['node_modules', '.git', 'dist'])

/** Finds the Hasura projects of config v3 in a checkout, sorted by path. */
export function findProjects(path: string): HasuraProject[] {
  const checkout = resolve(path)
  const find = (pattern: string) =>
    globSync(pattern, { cwd: checkout, exclude: (path) => EXCLUDED_FOLDERS.has(basename(path)) })
  // Hasura's image needs no config.yaml. A config.yaml may name another metadata folder.
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
