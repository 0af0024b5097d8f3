import { readFileSync, writeFileSync } from 'node:fs'
import { present } from '../lib/runtime/present.ts'
import { FLOORS, type Import, importsOf, isTest, sourceFiles } from './layers.ts'

const FILE = 'docs/architecture.md'

/** Tests, and what is generated, would only add arrows. */
const LEFT_OUT = ['test', 'generated']

/**
 * The page with its pictures drawn anew from the imports: the folders of the repository, of packages/engine/ and of oidc/.
 *
 * A picture stands between `<!-- drawn: packages/engine -->` and `<!-- end -->`.
 */
export function withDrawings(page: string): string {
  const imports = importsOf(sourceFiles().filter((file) => !isTest(file)))
  return page.replaceAll(
    /(<!-- drawn: (\S+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_all, begin: string, folder: string, end: string) =>
      `${begin}\n${drawing(folder, imports)}\n${end}`,
  )
}

/** The files and folders in a folder and the imports between them, as a Mermaid flowchart. */
function drawing(folder: string, imports: readonly Import[]): string {
  const rooms = present(FLOORS[folder], 'the order of a folder')
    .flat()
    .filter((room) => !LEFT_OUT.includes(room))
  const arrows = withoutDetours(arrowsBetween(rooms, folder, imports))
  const nodes = rooms.map((room) => `  ${idOf(room)}["${room}"]`)
  const lines = arrows.map(([from, to]) => `  ${idOf(from)} --> ${idOf(to)}`)
  return ['```mermaid', 'flowchart TD', ...nodes, ...lines, '```', ''].join('\n')
}

type Arrow = readonly [from: string, to: string]

function arrowsBetween(rooms: readonly string[], folder: string, imports: readonly Import[]) {
  const root = folder === '.' ? '' : `${folder}/`
  const roomOf = (path: string) =>
    path.startsWith(root) ? path.slice(root.length).replace(/\/.*/, '') : ''
  const pairs = imports.map(({ from, to }): Arrow => [roomOf(from), roomOf(to)])
  const between = pairs.filter(
    ([from, to]) => from !== to && rooms.includes(from) && rooms.includes(to),
  )
  const distinct = new Map(between.map((arrow) => [arrow.join(' '), arrow]))
  return [...distinct.values()].sort(
    ([a, b], [c, d]) => rooms.indexOf(a) - rooms.indexOf(c) || rooms.indexOf(b) - rooms.indexOf(d),
  )
}

/** Leaves out an arrow if a chain of other arrows leads to the same place (transitive reduction). */
function withoutDetours(arrows: readonly Arrow[]): Arrow[] {
  const next = Map.groupBy(arrows, ([from]) => from)
  const reaches = (from: string, to: string): boolean =>
    (next.get(from) ?? []).some(([, step]) => step === to || reaches(step, to))
  return arrows.filter(([from, to]) => {
    const others = (next.get(from) ?? []).filter(([, step]) => step !== to)
    return !others.some(([, step]) => reaches(step, to))
  })
}

function idOf(room: string): string {
  return room.replaceAll(/\W/g, '_')
}

if (import.meta.main) writeFileSync(FILE, withDrawings(readFileSync(FILE, 'utf8')))
