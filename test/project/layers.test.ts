import { dirname } from 'node:path/posix'
import { describe, expect, test } from 'vitest'
import { ALONE, FLOORS, type Import, importsOf, isTest, sourceFiles } from '../../scripts/layers.ts'

const files = sourceFiles()
const imports = importsOf(files)

describe.each(Object.entries(FLOORS))('in %s', (folder, floors) => {
  const inside = imports.flatMap((one) => {
    const [from, to] = [roomOf(folder, one.from), roomOf(folder, one.to)]
    return from !== null && to !== null && from !== to ? [{ ...one, rooms: { from, to } }] : []
  })

  test('every file and folder has its floor', () => {
    const rooms = new Set(files.map((file) => roomOf(folder, file)).filter((room) => room !== null))
    expect([...rooms].sort()).toEqual(floors.flat().sort())
  })

  test('no import points up, or to a neighbour on the same floor', () => {
    const floorOf = (room: string) => floors.findIndex((floor) => [floor].flat().includes(room))
    expect(
      inside.filter(({ rooms }) => floorOf(rooms.from) >= floorOf(rooms.to)).map(printed),
    ).toEqual([])
  })
})

test.each(Object.entries(ALONE))('%s stands alone', (folder, allowed) => {
  const isIn = (path: string, folders: readonly string[]) =>
    folders.some((each) => path.startsWith(`${each}/`))
  const outside = imports.filter(
    ({ from, to }) => isIn(from, [folder]) && !isTest(from) && !isIn(to, [folder, ...allowed]),
  )
  expect(outside.map(printed)).toEqual([])
})

test('no files import each other in a circle', () => {
  expect(circles(imports)).toEqual([])
})

test('in no folder do folders import each other in a circle', () => {
  const product = imports.filter(({ from, to }) => !isTest(from) && !isTest(to))
  const folders = new Set(product.flatMap(({ from }) => foldersAbove(from)))
  const found = [...folders].flatMap((folder) =>
    circles(
      product.flatMap(({ from, to }) => {
        const [importer, imported] = [roomOf(folder, from), roomOf(folder, to)]
        if (importer === null || imported === null || importer === imported) return []
        return [{ from: `${folder}/${importer}`, to: `${folder}/${imported}` }]
      }),
    ),
  )
  expect(found).toEqual([])
})

/** The folders that a file is in, from the innermost to the root. */
function foldersAbove(path: string): string[] {
  const folder = dirname(path)
  return folder === '.' ? ['.'] : [folder, ...foldersAbove(folder)]
}

/** The file or folder of `folder` that a path is, or is in; null if it is elsewhere. */
function roomOf(folder: string, path: string): string | null {
  if (folder === '.') return isTest(path) ? 'test' : path.slice(0, path.indexOf('/'))
  if (!path.startsWith(`${folder}/`) || (folder === 'packages' && isTest(path))) return null
  return path.slice(folder.length + 1).replace(/\/.*/, '')
}

function printed({ from, to }: Import): string {
  return `${from} → ${to}`
}

/** Each circle once, as the files on it: the path that led back to a file that is still being walked. */
function circles(edges: readonly Import[]): string[] {
  const next = Map.groupBy(edges, ({ from }) => from)
  const done = new Set<string>()
  const found: string[] = []
  const walk = (file: string, path: readonly string[]) => {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file].join(' → '))
    else if (!done.has(file)) {
      for (const { to } of next.get(file) ?? []) walk(to, [...path, file])
      done.add(file)
    }
  }
  for (const file of next.keys()) walk(file, [])
  return found
}
