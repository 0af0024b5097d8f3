import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isTest, sourceFiles } from '../../scripts/layers.ts'

const files = sourceFiles().filter((file) => !isTest(file) && !file.includes('/generated/'))

test('no name of a function occurs in more than two files', () => {
  const functions = files.flatMap((file) =>
    functionsIn(readFileSync(file, 'utf8')).map((name) => ({ name, file })),
  )
  const byName = Map.groupBy(functions, ({ name }) => name)
  const ambiguous = [...byName].filter(([, places]) => places.length > 2)
  expect(
    ambiguous.map(([name, places]) => [name, ...places.map(({ file }) => file)].join(' ')),
  ).toEqual([])
})

/** Returns the names of the functions that a file declares at its top level. */
function functionsIn(text: string): string[] {
  const declarations = text.matchAll(/^(?:export )?(?:async )?function\*? (\w+)/gm)
  return [...declarations].map(([, name = '']) => name)
}
