import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { tablesIn } from '../support/markdown-tables.ts'

const PAGE = readFileSync('engine/docs/public-projects.md', 'utf8')
const [titles = '', ...lines] = readFileSync('engine/docs/public-projects.csv', 'utf8')
  .trimEnd()
  .split('\n')

const projects = lines.map((line) => {
  const [repository = '', folder = '', tables = '', features = ''] = line.split(',')
  return { repository, folder, tables, features: new Set(features.split(' ')) }
})
const folders = projects.filter(({ tables }) => tables !== 'only')
const tables = projects.filter(({ tables: read }) => read !== 'no')

const having = (some: typeof projects, feature: string) =>
  some.filter(({ features }) => features.has(feature)).length

/** The rows below a heading of the page. */
function section(heading: string) {
  const [text = ''] = PAGE.split(`## ${heading}\n`)[1]?.split('\n## ') ?? []
  const [rows = []] = tablesIn(text)
  expect(rows).not.toEqual([])
  return rows
}

test('the list has a repository once, with features that are words', () => {
  expect(titles).toBe('repository,folder,tables,features')
  expect(
    lines.filter((line) => !/^[\w.-]+\/[\w.-]+,[\w./-]+,(no|some|only),[a-z -]*$/.test(line)),
  ).toEqual([])
  expect(new Set(projects.map(({ repository }) => repository)).size).toBe(projects.length)
})

test.each([
  [`In ${folders.length} metadata folders`, folders],
  [`In the tables of ${tables.length} projects`, tables],
])('%s: each figure is that of the list', (heading, of) => {
  const rows = section(heading)
  expect(rows.map((row) => row.projects)).toEqual(
    rows.map((row) => String(having(of, row['in the list'] ?? ''))),
  )
})

test('every feature of the list is on the page', () => {
  const named = new Set([...PAGE.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name))
  const features = new Set(projects.flatMap(({ features: all }) => [...all]).filter(Boolean))
  features.delete('source-default')
  expect([...features].filter((feature) => !named.has(feature))).toEqual([])
})

test('projects that are served whole are those of the list without what is missing', () => {
  const rows = section('How many are served whole')
  expect(rows.map((row) => row[`projects of ${folders.length}`])).toEqual(
    rows.map((row) => {
      const missing = (row['still missing'] ?? '').split(' ')
      const whole = folders.filter(({ features }) => !missing.some((one) => features.has(one)))
      return String(whole.length)
    }),
  )
})
