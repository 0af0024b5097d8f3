import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

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
