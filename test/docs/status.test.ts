import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { routes } from '../../webhooks/app.ts'
import { openApiDocument } from '../../webhooks/openapi/document.ts'
import { type TableRow, tablesIn } from '../support/markdown-tables.ts'
import { signInDescription } from '../support/oidc/contract.ts'

const PAGE = readFileSync('docs/status.md', 'utf8')
const STATES = ['works', 'simulated', 'in part']

const sections = new Map(
  PAGE.split(/^## /m).map((text) => [text.slice(0, text.indexOf('\n')), tablesIn(text)]),
)
const rows = [...sections.values()].flat(2)

const developerPaths = pathsOf(openApiDocument(routes, { baseUrl: 'http://localhost' }))

describe('docs/status.md names every endpoint once', () => {
  test.each([
    ['Developer API', developerPaths],
    ['Sign-in server', pathsOf(signInDescription('http://localhost'))],
  ])('the section “%s” has each endpoint of /openapi.json in exactly one row', (title, paths) => {
    const endpoints = tableRows(title).flatMap((row) => wordsOf(row.endpoints))
    expect(endpoints.toSorted()).toEqual(paths.toSorted())
  })
})

test("docs/idkit/public-api.md names the platform's path for each endpoint of World's service, or says that it is missing", () => {
  const [worldRows = []] = tablesIn(readFileSync('docs/idkit/public-api.md', 'utf8'))
  expect(worldRows.length).toBeGreaterThan(25)
  for (const { "World's endpoint": worldPath = '', here = '' } of worldRows) {
    if (here === 'missing') expect(developerPaths, worldPath).not.toContain(worldPath)
    else expect(developerPaths).toContain(here)
  }
})

describe('docs/status.md names tests that exist', () => {
  const tested = rows.filter(({ tests }) => tests !== undefined)

  test('every feature has a test or a trial, except missing features', () => {
    expect(tested.length).toBeGreaterThan(40)
    const untested = tested.filter(({ tests = '' }) => linksOf(tests).length === 0)
    for (const row of untested) expect(row['the engine']).toMatch(/^missing/)
  })

  test.each(tested.flatMap(({ tests = '' }) => linksOf(tests)))(
    '%s is a test or a trial',
    (link) => {
      const path = join('docs', link)
      expect(existsSync(path)).toBe(true)
      const files = statSync(path).isDirectory() ? globSync(`${path}/**/*.ts`) : [path]
      const isTrial = path.startsWith('trials/') && files.length > 0
      expect(isTrial || files.some((file) => file.endsWith('.test.ts'))).toBe(true)
    },
  )

  test('every feature has one of the explained states', () => {
    const withState = rows.filter(({ state }) => state !== undefined)
    expect(withState.length).toBeGreaterThan(25)
    for (const { state = '', note = '' } of withState) {
      expect(STATES).toContain(state)
      if (state !== 'works') expect(note).not.toBe('')
    }
    for (const state of STATES) expect(PAGE).toContain(`- **${state}**: `)
  })
})

describe('docs/status.md repeats figures of other pages', () => {
  test.each([
    [/3,362/, 'packages/engine/docs/differences.md'],
    [/3,322/, 'packages/engine/docs/differences.md'],
    [/522 of 534/, 'packages/engine/docs/differences.md'],
    [/1,119 of 1,122/, 'packages/engine/docs/differences.md'],
    [/708 of 714/, 'packages/engine/docs/differences.md'],
    [/Docker 28\.5\.2/, 'docs/operations/containers.md'],
    [/PostGIS 3\.3/, 'packages/engine/docs/supported.md'],
    [/hasura-cli`? 2\.36\.1/, 'packages/engine/docs/differences.md'],
  ])('the figure %s is in %s, too', (figure, page) => {
    expect(PAGE).toMatch(figure)
    expect(readFileSync(page, 'utf8')).toMatch(figure)
  })

  test('the number of public projects is the number of public-projects.md', () => {
    const page = readFileSync('packages/engine/docs/public-projects.md', 'utf8')
    const [, built, whole] = /projects (\d+) can be built .* and (\d+) of these/.exec(page) ?? []
    expect(PAGE).toContain(`${whole} of ${built} that can be built`)
  })
})

test('README.md and docs/README.md link to docs/status.md', () => {
  expect(readFileSync('README.md', 'utf8')).toContain('](docs/status.md)')
  expect(readFileSync('docs/README.md', 'utf8')).toContain('](status.md)')
})

function pathsOf(document: unknown): string[] {
  return Object.keys(Object(document).paths)
}

function tableRows(title: string): TableRow[] {
  return sections.get(title)?.flat() ?? []
}

function wordsOf(cell = ''): string[] {
  return cell.split(', ').filter(Boolean)
}

function linksOf(cell: string): string[] {
  return [...cell.matchAll(/\]\(([^)#]+)\)/g)].map(([, link = '']) => link)
}
