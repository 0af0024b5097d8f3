import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { withDrawings } from '../../scripts/architecture.ts'

test('docs/architecture.md shows the imports as they are (else: npm run architecture)', () => {
  const page = readFileSync('docs/architecture.md', 'utf8')
  expect(withDrawings(page)).toBe(page)
})
