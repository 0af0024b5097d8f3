import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test('docs/dependencies.md has every package that we name, with a reason and its licence', () => {
  const manifests = ['package.json', 'packages/engine/package.json'].map((file) =>
    JSON.parse(readFileSync(file, 'utf8')),
  )
  const named = manifests.flatMap(({ dependencies, devDependencies, optionalDependencies }) =>
    Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }),
  )
  const rows = readFileSync('docs/dependencies.md', 'utf8').matchAll(
    /^\| `([^`]+)` +\| [\d.\w-]+ +\| ([^|]+?) +\| ([^|]+?) +\|/gm,
  )
  const told = new Map([...rows].map(([, name, reason, licence]) => [name, { reason, licence }]))
  expect([...told.keys()].sort()).toEqual([...new Set(named)].sort())
  for (const { reason, licence } of told.values()) expect(reason && licence).toBeTruthy()
})
