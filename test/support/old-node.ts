import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'

/** Replaces the version that this Node has. */
const PRETEND = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`

/** Runs a file on this Node, which says that it is Node 20.20.2. */
export function runOnOldNode(file: string, ...options: string[]) {
  const args = ['--import', `data:text/javascript,${encodeURIComponent(PRETEND)}`, ...options, file]
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  return { status, stderr }
}

/** The files that Node reads before it runs a compiled file: what the file imports by `import … from`, and what these import. */
export function readBefore(file: string): string[] {
  const imported = readFileSync(file, 'utf8').matchAll(
    /^(?:import |(?:import|export)\b.* from )'(\.[^']+)'/gm,
  )
  return [...imported].flatMap(([, path = '']) => {
    const found = join(dirname(file), path)
    return [found, ...readBefore(found)]
  })
}

/** A package tells an old Node the version that it needs, from its program and from an import, before it reads anything else. */
export function expectOldNodeTold(
  { program, index }: { program: string; index: string },
  needed: string,
) {
  expect(runOnOldNode(program)).toEqual({
    status: 1,
    stderr: expect.stringMatching(/^\S+ needs Node .* Install a newer version: \S+\n$/),
  })
  for (const file of [program, index]) {
    expect(runOnOldNode(file)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`${needed}; this is Node 20.20.2`),
    })
    // Nothing else is read before, which an old Node might not be able to read.
    for (const each of readBefore(file))
      expect(each).toMatch(/local\/process\/(old|require)-node\.mjs$/)
  }
}
