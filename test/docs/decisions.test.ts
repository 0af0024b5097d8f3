import { globSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { expect, test } from 'vitest'

const FOLDER = 'docs/decisions/'
const SECTIONS = ['Decision', 'Why', 'Considered instead', 'Consequences']

const index = readFileSync(`${FOLDER}README.md`, 'utf8')
const pages = globSync(`${FOLDER}**/[0-9]*.md`).map((file) => ({
  path: file.slice(FOLDER.length),
  number: Number.parseInt(basename(file), 10),
  text: readFileSync(file, 'utf8'),
}))

test.each(pages)('decision $number is in the index under its title', ({ path, number, text }) => {
  const [, title] = /^# \d+\. (.+)\n/.exec(text) ?? []
  expect(text).toMatch(new RegExp(`^# ${number}\\. `))
  expect(index).toMatch(new RegExp(`^\\| ${number} +\\| `, 'm'))
  expect(index).toContain(`[${title}](${path})`)
})

test.each(pages)('decision $number has its sections in the common order', ({ text }) => {
  const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, name]) => name)
  expect(sections).toContain('Decision')
  expect(sections).toEqual(SECTIONS.filter((name) => sections.includes(name)))
})

test('decisions have unique numbers, and the index links only to decisions', () => {
  expect(new Set(pages.map(({ number }) => number)).size).toBe(pages.length)
  const linkedPaths = [...index.matchAll(/\]\(([^)]+)\)/g)].map(([, path]) => path)
  expect(linkedPaths.toSorted()).toEqual(pages.map(({ path }) => path).toSorted())
  expect(pages.every(({ path }) => dirname(path) !== '.')).toBe(true)
})
