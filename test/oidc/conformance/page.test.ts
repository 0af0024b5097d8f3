import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { moduleRows } from '../../support/oidc/conformance/page.ts'

const rows = moduleRows()
const files = globSync('test/oidc/conformance/*.test.ts').map((file) => readFileSync(file, 'utf8'))

test('docs/conformance.md has a single row for each tested module', () => {
  const tested = files.flatMap((text) => [
    ...text.matchAll(/^(?:passes|warns|refuses|skips)\(\s*'([\w-]+)'/gm),
  ])
  expect(rows.map(({ module }) => module).toSorted()).toEqual(
    tested.map(([, module]) => module).toSorted(),
  )
})

test.each(rows.filter(({ result }) => ['warns', 'refused by choice'].includes(result)))(
  'docs/conformance.md links to the decision about $module',
  ({ why }) => expect(why).toMatch(/\]\((specification\.md#\S+|decisions\/\S+\.md)\)/),
)

test.each(['Basic', 'Implicit', 'Hybrid', 'Config', 'Dynamic'])(
  'the numbers for %s in docs/conformance.md match its rows',
  (profile) => {
    const results = rows.filter((row) => row.profiles.includes(profile)).map((row) => row.result)
    const numbers = [
      results.length,
      ...['passes', 'warns', 'refused by choice', 'does not apply'].map(
        (result) => results.filter((each) => each === result).length,
      ),
    ]
    const row = new RegExp(`^\\| ${profile} +\\| +${numbers.join(' +\\| +')} +\\|$`, 'm')
    expect(readFileSync('docs/conformance.md', 'utf8')).toMatch(row)
  },
)
