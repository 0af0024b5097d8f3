import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseCaseFile, readCaseFiles } from '../support/case-file.ts'

const files = ['api', 'graphql'].flatMap((folder) =>
  readCaseFiles(join(import.meta.dirname, folder)),
)

test("every case that is different on purpose has a reason from the engine's documentation", () => {
  const pages = globSync('packages/engine/docs/*.md').map((page) =>
    inOneLine(readFileSync(page, 'utf8')),
  )
  const reasons = files.flatMap(({ cases }) =>
    cases.flatMap(({ different_on_purpose: different }) => (different ? [different.reason] : [])),
  )
  expect(reasons.length).toBeGreaterThan(0)
  expect(
    reasons.filter((reason) => !pages.some((page) => page.includes(inOneLine(reason)))),
  ).toEqual([])
})

function inOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}

describe('case files are validated', () => {
  const OPERATION = '{ title: a, query: "{a}", data: {} }'
  const file = (...lines: string[]) => ['about: x', 'schema: ""', 'source: {}', ...lines].join('\n')

  test('a valid case file is read', () => {
    const { cases } = parseCaseFile('x.yaml', file(`cases: [${OPERATION}]`))
    expect(cases).toMatchObject([{ title: 'a', query: '{a}', data: {} }])
  })

  test.each([
    ['a file with an unknown key', file('seen: true', `cases: [${OPERATION}]`), '"seen"'],
    ['an invalid version', file('seen_on: "2.48"', `cases: [${OPERATION}]`), 'at seen_on'],
    ['a file without cases', file('cases: []'), 'at cases'],
    [
      'a case with an unknown key',
      file('cases: [{ title: a, query: q, data: 1, eror: 1 }]'),
      '"eror"',
    ],
    [
      'a case without an answer',
      file('cases: [{ title: a, query: q }]'),
      'exactly one of data, error and text',
    ],
    [
      'a case with two answers',
      file('cases: [{ title: a, query: q, data: 1, text: "1" }]'),
      'at cases[0]',
    ],
    [
      'a case with neither query nor post',
      file('cases: [{ title: a, body: 1, answer: 1 }]'),
      'cases[0].post',
    ],
    [
      'two cases with the same title',
      file(`cases: [${OPERATION}, ${OPERATION}]`),
      'have the same title',
    ],
    [
      'a case with seen: false in a file without seen_on',
      file('cases: [{ title: a, query: q, data: 1, seen: false }]'),
      'needs seen_on',
    ],
    [
      'a difference without a reason',
      file(
        'cases: [{ title: a, query: q, data: 1, different_on_purpose: { hasura: { data: 2 } } }]',
      ),
      'different_on_purpose.reason',
    ],
    [
      'a GraphQL answer of Hasura for a case of another API',
      file(
        'cases: [{ title: a, post: /a, answer: 1, different_on_purpose: { reason: b, hasura: { data: 2 } } }]',
      ),
      '"data"',
    ],
  ])('%s is rejected, and the error names the fault', (_what, text, place) => {
    expect(() => parseCaseFile('x.yaml', text)).toThrow(place)
  })
})
