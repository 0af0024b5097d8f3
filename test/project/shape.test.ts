import { globSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { BUILD_OUTPUT, FOLDERS, sourceFiles } from '../../scripts/layers.ts'

const MAX_FILES = 20
const MAX_FILE_LINES = 300
const MAX_FUNCTION_LINES = 50

const code = sourceFiles().filter((file) => !/\/generated\//.test(file))

test(`no folder has more than ${MAX_FILES} files`, () => {
  const files = globSync(`{${FOLDERS.join(',')},docs}/**/*.*`, { exclude: [BUILD_OUTPUT] })
  const folders = Map.groupBy(files, (file) => dirname(file))
  expect([...folders].filter(([, { length }]) => length > MAX_FILES).map(([name]) => name)).toEqual(
    [],
  )
})

test(`no file of code has more than ${MAX_FILE_LINES} lines`, () => {
  const long = code.filter((file) => linesOf(file).length > MAX_FILE_LINES)
  expect(long).toEqual([])
})

test(`no function has more than ${MAX_FUNCTION_LINES} lines`, () => {
  const long = code.flatMap((file) => longFunctions(linesOf(file)).map((name) => `${file} ${name}`))
  expect(long).toEqual([])
})

function linesOf(file: string): string[] {
  return readFileSync(file, 'utf8').trimEnd().split('\n')
}

/** Finds functions that are too long, not counting the functions declared inside them. */
function longFunctions(lines: readonly string[]): string[] {
  const functions = lines.flatMap((line, start) => {
    const [, indent, name] = /^( *)(?:export )?(?:async )?function\*? (\w+)/.exec(line) ?? []
    // The formatter indents the last line of a function like its first line.
    return indent === undefined ? [] : [{ name, start, end: lines.indexOf(`${indent}}`, start) }]
  })
  return functions.flatMap(({ name, start, end }) => {
    const inside = functions.filter((other) => start < other.start && other.end < end)
    const outermost = inside.filter(
      (inner) => !inside.some((other) => other.start < inner.start && inner.end < other.end),
    )
    const innerLines = outermost.reduce((sum, each) => sum + each.end - each.start + 1, 0)
    const length = end - start + 1 - innerLines
    return length > MAX_FUNCTION_LINES ? [`${name}: ${length} lines`] : []
  })
}
