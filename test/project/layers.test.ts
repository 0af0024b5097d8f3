import { dirname } from 'node:path/posix'
import { describe, expect, test } from 'vitest'
import {
  type Import,
  INDEPENDENT_FOLDERS,
  importsOf,
  isTest,
  LAYERS,
  sourceFiles,
} from '../../scripts/layers.ts'

const files = sourceFiles()
const imports = importsOf(files)

describe.each(Object.entries(LAYERS))('the imports in %s follow its layers', (folder, layers) => {
  const innerImports = imports.flatMap((each) => {
    const [from, to] = [entryOf(folder, each.from), entryOf(folder, each.to)]
    return from !== null && to !== null && from !== to ? [{ ...each, entries: { from, to } }] : []
  })

  test('scripts/layers.ts names the layer of every file and folder', () => {
    const entries = files.map((file) => entryOf(folder, file)).filter((entry) => entry !== null)
    expect([...new Set(entries)].sort()).toEqual(layers.flat().sort())
  })

  test('no import points to a higher layer or to the same layer', () => {
    const layerOf = (entry: string) => layers.findIndex((layer) => [layer].flat().includes(entry))
    const wrongImports = innerImports.filter(
      ({ entries }) => layerOf(entries.from) >= layerOf(entries.to),
    )
    expect(wrongImports.map(importLine)).toEqual([])
  })
})

test.each(Object.entries(INDEPENDENT_FOLDERS))(
  '%s imports nothing outside its allowed folders',
  (folder, allowedFolders) => {
    const isIn = (path: string, folders: readonly string[]) =>
      folders.some((each) => path.startsWith(`${each}/`))
    const wrongImports = imports.filter(
      ({ from, to }) =>
        isIn(from, [folder]) && !isTest(from) && !isIn(to, [folder, ...allowedFolders]),
    )
    expect(wrongImports.map(importLine)).toEqual([])
  },
)

test('no files import each other in a circle', () => {
  expect(circles(imports)).toEqual([])
})

test('no folders import each other in a circle', () => {
  const product = imports.filter(({ from, to }) => !isTest(from) && !isTest(to))
  const folders = new Set(product.flatMap(({ from }) => foldersAbove(from)))
  const folderCircles = [...folders].flatMap((folder) =>
    circles(
      product.flatMap(({ from, to }) => {
        const [importer, imported] = [entryOf(folder, from), entryOf(folder, to)]
        if (importer === null || imported === null || importer === imported) return []
        return [{ from: `${folder}/${importer}`, to: `${folder}/${imported}` }]
      }),
    ),
  )
  expect(folderCircles).toEqual([])
})

/** Returns the folders of a file, from the innermost to the root. */
function foldersAbove(path: string): string[] {
  const folder = dirname(path)
  return folder === '.' ? ['.'] : [folder, ...foldersAbove(folder)]
}

/** Returns the file or folder directly inside `folder` that contains a path; null if the path is elsewhere. */
function entryOf(folder: string, path: string): string | null {
  if (folder === '.') return isTest(path) ? 'test' : path.slice(0, path.indexOf('/'))
  if (!path.startsWith(`${folder}/`) || (folder === 'packages' && isTest(path))) return null
  return path.slice(folder.length + 1).replace(/\/.*/, '')
}

function importLine({ from, to }: Import): string {
  return `${from} → ${to}`
}

/** Finds each circle of imports once, as the list of its files. */
function circles(edges: readonly Import[]): string[] {
  const next = Map.groupBy(edges, ({ from }) => from)
  const finishedFiles = new Set<string>()
  const circleLines: string[] = []
  const walk = (file: string, path: readonly string[]) => {
    if (path.includes(file)) circleLines.push([...path.slice(path.indexOf(file)), file].join(' → '))
    else if (!finishedFiles.has(file)) {
      for (const { to } of next.get(file) ?? []) walk(to, [...path, file])
      finishedFiles.add(file)
    }
  }
  for (const file of next.keys()) walk(file, [])
  return circleLines
}
