import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isTest, sourceFiles } from '../../scripts/layers.ts'

const files = sourceFiles().filter((file) => !isTest(file) && !file.includes('/generated/'))

test("a function's name means one thing: it occurs in at most two files", () => {
  const named = files.flatMap((file) =>
    functionsIn(readFileSync(file, 'utf8')).map((name) => ({ name, file })),
  )
  const byName = Map.groupBy(named, ({ name }) => name)
  const ambiguous = [...byName].filter(([, places]) => places.length > 2)
  expect(
    ambiguous.map(([name, places]) => [name, ...places.map(({ file }) => file)].join(' ')),
  ).toEqual([])
})

/** The names of the functions that a file declares at its top level. */
function functionsIn(text: string): string[] {
  const declared = text.matchAll(/^(?:export )?(?:async )?function\*? (\w+)/gm)
  return [...declared].map(([, name = '']) => name)
}
