import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { withDrawings } from '../../scripts/architecture.ts'

test('the diagrams of docs/architecture.md match the imports (update them with npm run architecture)', () => {
  const page = readFileSync('docs/architecture.md', 'utf8')
  expect(withDrawings(page)).toBe(page)
})
