import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseCaseFile, readCaseFiles } from '../support/case-file.ts'

const files = ['api', 'graphql'].flatMap((folder) =>
  readCaseFiles(join(import.meta.dirname, folder)),
)

test("every case that is different on purpose says why in words of the engine's documentation", () => {
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

describe('a file of cases is refused with the place of the fault', () => {
  const OPERATION = '{ title: a, query: "{a}", data: {} }'
  const file = (...lines: string[]) => ['about: x', 'schema: ""', 'source: {}', ...lines].join('\n')

  test('but one that is right is read', () => {
    const { cases } = parseCaseFile('x.yaml', file(`cases: [${OPERATION}]`))
    expect(cases).toMatchObject([{ title: 'a', query: '{a}', data: {} }])
  })

  test.each([
    ['an unknown key of the file', file('seen: true', `cases: [${OPERATION}]`), '"seen"'],
    ['a version that is none', file('seen_on: "2.48"', `cases: [${OPERATION}]`), 'at seen_on'],
    ['no cases', file('cases: []'), 'at cases'],
    [
      'an unknown key of a case',
      file('cases: [{ title: a, query: q, data: 1, eror: 1 }]'),
      '"eror"',
    ],
    ['no answer', file('cases: [{ title: a, query: q }]'), 'exactly one of data, error and text'],
    ['two answers', file('cases: [{ title: a, query: q, data: 1, text: "1" }]'), 'at cases[0]'],
    ['neither query nor path', file('cases: [{ title: a, body: 1, answer: 1 }]'), 'cases[0].post'],
    ['a title twice', file(`cases: [${OPERATION}, ${OPERATION}]`), 'a title of its own'],
    [
      'a case that is not seen in a file that is not',
      file('cases: [{ title: a, query: q, data: 1, seen: false }]'),
      'without seen_on',
    ],
    [
      'a difference without a reason',
      file(
        'cases: [{ title: a, query: q, data: 1, different_on_purpose: { hasura: { data: 2 } } }]',
      ),
      'different_on_purpose.reason',
    ],
    [
      'an answer of Hasura of the other kind',
      file(
        'cases: [{ title: a, post: /a, answer: 1, different_on_purpose: { reason: b, hasura: { data: 2 } } }]',
      ),
      '"data"',
    ],
  ])('%s', (_what, text, place) => {
    expect(() => parseCaseFile('x.yaml', text)).toThrow(place)
  })
})
