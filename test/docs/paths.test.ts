import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { FOLDERS } from '../../scripts/layers.ts'

const pages = globSync([
  '*.md',
  'docs/**/*.md',
  '{oidc,test,webhooks}/*.md',
  'packages/*/{,docs/,test/}*.md',
])

test.each(pages)('every file and folder that %s names exists', (page) => {
  const text = readFileSync(page, 'utf8')
  const paths = [...text.matchAll(/`([\w.-]+(?:\/[\w.*-]+)*\/?)`/g)].map(([, path = '']) => path)
  const missing = paths.filter((path) => isRepositoryPath(path) && !pathExists(path, dirname(page)))
  expect(missing).toEqual([])
})

test.each(pages)('every link of %s leads to an existing file and heading', (page) => {
  const text = readFileSync(page, 'utf8')
  const links = [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)]*))?\)/g)]
  const missing = links.filter(([, path, heading]) => {
    const target = path ? join(dirname(page), path) : page
    return !existsSync(target) || (heading && !headingsOf(target).includes(heading))
  })
  expect(missing.map(([link]) => link)).toEqual([])
})

/** Returns the anchors of a page's headings by GitHub's rule. */
function headingsOf(page: string): string[] {
  const titles = [...readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm)]
  return titles.map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  )
}

/** True if a text in backquotes is a path into a folder of the repository. */
function isRepositoryPath(path: string): boolean {
  return path.includes('/') && FOLDERS.includes(path.slice(0, path.indexOf('/')))
}

/** True if a path exists relative to the root or to the page's folder. */
function pathExists(path: string, folder: string): boolean {
  return [path, join(folder, path)].some((each) => globSync(each).length > 0)
}
