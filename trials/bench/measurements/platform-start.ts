import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { freePort } from '../../../local/process/free-port.ts'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'
import type { Figure } from '../report/figure.ts'

/** The names that a clone does not have, or that are too large to copy. */
const OMITTED_NAMES = ['.cache', '.data', '.git', 'node_modules']
const LATER_STARTS = 3

/**
 * Measures the time from `npm start` to `Ready.`: for the first start in a new clone with installed packages, and for the fastest
 * of three later starts.
 */
export async function measurePlatformStart(): Promise<Figure[]> {
  const clone = temporaryFolder('clone-')
  for (const name of readdirSync('.'))
    if (!OMITTED_NAMES.includes(name)) cpSync(name, join(clone, name), { recursive: true })
  symlinkSync(resolve('node_modules'), join(clone, 'node_modules'))
  try {
    const firstSeconds = await timeNpmStart(clone)
    const laterSeconds = []
    while (laterSeconds.length < LATER_STARTS) laterSeconds.push(await timeNpmStart(clone))
    return [
      createStartFigure('npm start to "Ready.", first start after the install', firstSeconds, 40),
      createStartFigure('npm start to "Ready.", later starts', Math.min(...laterSeconds), 6),
    ]
  } finally {
    rmSync(clone, { recursive: true, force: true })
  }
}

function createStartFigure(name: string, seconds: number, atMost: number): Figure {
  return { name, value: seconds, unit: 's', target: { atMost } }
}

/** Starts the platform in a folder, and stops it once it is ready. @returns the seconds until `Ready.` */
async function timeNpmStart(folder: string): Promise<number> {
  const startTime = performance.now()
  // A new process group, so that the interrupt reaches all of npm's processes, as from a terminal.
  const npm = spawn('npm', ['start'], {
    cwd: folder,
    detached: true,
    env: { ...process.env, ...(await chooseFreePorts()) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const interrupt = () => process.kill(-requireValue(npm.pid, 'the id of npm'), 'SIGINT')
  process.once('exit', interrupt)
  const exit = once(npm, 'exit')
  await waitUntilReady(npm)
  const seconds = (performance.now() - startTime) / 1_000
  interrupt()
  await exit
  process.off('exit', interrupt)
  return seconds
}

async function chooseFreePorts(): Promise<Record<string, string>> {
  const ports: Record<string, string> = {}
  for (const [name] of readFileSync('packages/platform/settings/settings.ts', 'utf8').matchAll(
    /\b[A-Z_]+_PORT\b/g,
  ))
    ports[name] ??= String(await freePort())
  return ports
}

function waitUntilReady(npm: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = ''
    const read = (chunk: Buffer) => {
      output += chunk
      if (output.includes('Ready.')) resolve()
    }
    npm.stdout?.on('data', read)
    npm.stderr?.on('data', read)
    npm.once('exit', () => reject(new Error(`npm start ended: ${output.slice(-500)}`)))
  })
}
