import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { FOLDERS } from '../../scripts/layers.ts'

const pages = globSync(['*.md', 'docs/**/*.md', 'engine/*.md', 'test/*.md'])

test.each(pages)('every file and folder that %s names is there', (page) => {
  const text = readFileSync(page, 'utf8')
  const named = [...text.matchAll(/`([\w.-]+(?:\/[\w.*-]+)*\/?)`/g)].map(([, path = '']) => path)
  const missing = named.filter((path) => isOurs(path) && !isThere(path, dirname(page)))
  expect(missing).toEqual([])
})

test.each(pages)('every link of %s leads somewhere', (page) => {
  const text = readFileSync(page, 'utf8')
  const links = [...text.matchAll(/\]\((?!https?:)([^)#\s]+)(?:#[^)]*)?\)/g)]
  const missing = links.filter(([, path = '']) => !existsSync(join(dirname(page), path)))
  expect(missing.map(([, path]) => path)).toEqual([])
})

/** Whether a text in code marks is a path in the repository: in one of its folders, with a slash. */
function isOurs(path: string): boolean {
  return path.includes('/') && FOLDERS.includes(path.slice(0, path.indexOf('/')))
}

/** Paths are named from the root, or from the page's own folder. */
function isThere(path: string, folder: string): boolean {
  return [path, join(folder, path)].some((each) => globSync(each).length > 0)
}
