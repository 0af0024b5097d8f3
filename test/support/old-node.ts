import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'

/** A script that makes this Node report version 20.20.2. */
const FAKE_VERSION = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`

/** Runs a file with a Node that reports version 20.20.2. */
export function runOnOldNode(file: string, ...options: string[]) {
  const args = [
    '--import',
    `data:text/javascript,${encodeURIComponent(FAKE_VERSION)}`,
    ...options,
    file,
  ]
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  return { status, stderr }
}

/** Finds the files that a compiled file imports statically, directly or not. Node parses them before it runs the file. */
export function findStaticImports(file: string): string[] {
  const statements = readFileSync(file, 'utf8').matchAll(
    /^(?:import |(?:import|export)\b.* from )'(\.[^']+)'/gm,
  )
  return [...statements].flatMap(([, path = '']) => {
    const target = join(dirname(file), path)
    return [target, ...findStaticImports(target)]
  })
}

/** Expects the program and the module of a package to fail on an old Node with an error that names the required version. */
export function expectOldNodeRejected(
  { program, index }: { program: string; index: string },
  requirement: string,
) {
  expect(runOnOldNode(program)).toEqual({
    status: 1,
    stderr: expect.stringMatching(/^\S+ needs Node .* Install a newer version: \S+\n$/),
  })
  for (const file of [program, index]) {
    expect(runOnOldNode(file)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`${requirement}; this is Node 20.20.2`),
    })
    // An old Node may be unable to parse other files, so only the check itself may be imported statically.
    for (const path of findStaticImports(file))
      expect(path).toMatch(/local\/process\/(old|require)-node\.mjs$/)
  }
}
