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

test.each(pages)('every file and folder that %s names is there', (page) => {
  const text = readFileSync(page, 'utf8')
  const named = [...text.matchAll(/`([\w.-]+(?:\/[\w.*-]+)*\/?)`/g)].map(([, path = '']) => path)
  const missing = named.filter((path) => isOurs(path) && !isThere(path, dirname(page)))
  expect(missing).toEqual([])
})

test.each(pages)('every link of %s leads somewhere, to a heading where it names one', (page) => {
  const text = readFileSync(page, 'utf8')
  const links = [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)]*))?\)/g)]
  const missing = links.filter(([, path, heading]) => {
    const target = path ? join(dirname(page), path) : page
    return !existsSync(target) || (heading && !headingsOf(target).includes(heading))
  })
  expect(missing.map(([link]) => link)).toEqual([])
})

/** The names that links to the headings of a page have: the rule of GitHub. */
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

/** Whether a text in code marks is a path in the repository: in one of its folders, with a slash. */
function isOurs(path: string): boolean {
  return path.includes('/') && FOLDERS.includes(path.slice(0, path.indexOf('/')))
}

/** Paths are named from the root, or from the page's own folder. */
function isThere(path: string, folder: string): boolean {
  return [path, join(folder, path)].some((each) => globSync(each).length > 0)
}
