import { spawn } from 'node:child_process'
import { mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { endProcess, hasEnded } from '../../../local/process/end-process.ts'
import { runProgram } from '../programs.ts'

const FOLDER = '/tmp/engine'

/** The folder of the engine's images and volumes, which enter.sh mounts. */
const DATA = '/srv'

/** The longest wait for the engine's start. */
const START_MS = 60_000

export type StartedEngine = { host: string; stop(): Promise<void> }

/**
 * Starts a Docker engine in the folder of a Debian, which `enter.sh` has entered. Its state and socket are in a temporary folder, its data in a mounted folder.
 *
 * @param group the control group of its containers
 * @throws Error with the end of its log
 */
export async function startDockerd(group: string, env: NodeJS.ProcessEnv): Promise<StartedEngine> {
  mkdirSync(FOLDER)
  const log = join(FOLDER, 'log')
  const host = `unix://${join(FOLDER, 'socket')}`
  const places = { 'exec-root': 'state', pidfile: 'pid' }
  const flags = Object.entries(places).map(([flag, name]) => `--${flag}=${join(FOLDER, name)}`)
  const output = openSync(log, 'w')
  const child = spawn(
    'dockerd',
    [`--data-root=${DATA}`, ...flags, `--host=${host}`, `--cgroup-parent=${group}`],
    {
      env,
      stdio: ['ignore', output, output],
    },
  )
  child.once('error', () => {})
  for (const deadline = Date.now() + START_MS; !(await isEngineReady(host, env)); await sleep(200))
    if (child.pid === undefined || hasEnded(child) || Date.now() > deadline) {
      const { output } = await runProgram(['tail', '-n', '5', log])
      throw new Error(`The Docker engine did not start. The end of its log: ${output}`)
    }
  return { host, stop: () => endProcess(child, { signal: 'SIGTERM', killAfterMs: 60_000 }) }
}

async function isEngineReady(host: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const { code } = await runProgram(['docker', '--host', host, 'info'], { env })
  return code === 0
}
