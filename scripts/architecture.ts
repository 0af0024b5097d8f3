import { readFileSync, writeFileSync } from 'node:fs'
import { requireValue } from '../lib/runtime/require-value.ts'
import { type Import, importsOf, isTest, LAYERS, sourceFiles } from './layers.ts'

const FILE = 'docs/architecture.md'

/** The diagrams omit these folders: tests and generated code would only add arrows. */
const OMITTED_FOLDERS = ['test', 'generated']

/**
 * Redraws the diagrams of a page from the imports between files. A diagram of a folder is between
 * `<!-- drawn: packages/engine -->` and `<!-- end -->`.
 */
export function withDrawings(page: string): string {
  const imports = importsOf(sourceFiles().filter((file) => !isTest(file)))
  return page.replaceAll(
    /(<!-- drawn: (\S+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_all, begin: string, folder: string, end: string) =>
      `${begin}\n${drawing(folder, imports)}\n${end}`,
  )
}

/** Draws the entries of a folder and the imports between them, as a Mermaid flowchart. */
function drawing(folder: string, imports: readonly Import[]): string {
  const entries = requireValue(LAYERS[folder], 'the layers of a folder')
    .flat()
    .filter((entry) => !OMITTED_FOLDERS.includes(entry))
  const arrows = withoutDetours(arrowsBetween(entries, folder, imports))
  const nodes = entries.map((entry) => `  ${idOf(entry)}["${entry}"]`)
  const lines = arrows.map(([from, to]) => `  ${idOf(from)} --> ${idOf(to)}`)
  return ['```mermaid', 'flowchart TD', ...nodes, ...lines, '```', ''].join('\n')
}

type Arrow = readonly [from: string, to: string]

function arrowsBetween(entries: readonly string[], folder: string, imports: readonly Import[]) {
  const root = folder === '.' ? '' : `${folder}/`
  const entryOf = (path: string) =>
    path.startsWith(root) ? path.slice(root.length).replace(/\/.*/, '') : ''
  const pairs = imports.map(({ from, to }): Arrow => [entryOf(from), entryOf(to)])
  const arrows = pairs.filter(
    ([from, to]) => from !== to && entries.includes(from) && entries.includes(to),
  )
  const distinct = new Map(arrows.map((arrow) => [arrow.join(' '), arrow]))
  const rank = (entry: string) => entries.indexOf(entry)
  return [...distinct.values()].sort(
    ([from1, to1], [from2, to2]) => rank(from1) - rank(from2) || rank(to1) - rank(to2),
  )
}

/** Removes an arrow if a chain of other arrows connects the same nodes (transitive reduction). */
function withoutDetours(arrows: readonly Arrow[]): Arrow[] {
  const next = Map.groupBy(arrows, ([from]) => from)
  const reaches = (from: string, to: string): boolean =>
    (next.get(from) ?? []).some(([, step]) => step === to || reaches(step, to))
  return arrows.filter(([from, to]) => {
    const otherArrows = (next.get(from) ?? []).filter(([, step]) => step !== to)
    return !otherArrows.some(([, step]) => reaches(step, to))
  })
}

function idOf(entry: string): string {
  return entry.replaceAll(/\W/g, '_')
}

if (import.meta.main) writeFileSync(FILE, withDrawings(readFileSync(FILE, 'utf8')))
