import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test('docs/dependencies.md has every package that we name, with a reason and its licence', () => {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
    readFileSync('package.json', 'utf8'),
  )
  const rows = readFileSync('docs/dependencies.md', 'utf8').matchAll(
    /^\| `([^`]+)` +\| [\d.\w-]+ +\| ([^|]+?) +\| ([^|]+?) +\|/gm,
  )
  const told = new Map([...rows].map(([, name, reason, licence]) => [name, { reason, licence }]))
  expect([...told.keys()].sort()).toEqual(
    Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }).sort(),
  )
  for (const { reason, licence } of told.values()) expect(reason && licence).toBeTruthy()
})
