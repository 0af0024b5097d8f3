import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { requireValue } from '../../lib/runtime/require-value.ts'
import {
  findProcessId,
  processEnvironment,
} from '../../packages/platform/processes/child-processes.ts'

/** A process of the platform that a scenario can kill and restart. */
export type RestartableProcess = {
  /** Sends SIGKILL. */
  kill(): void
  /** Waits for the old process to end, and runs the same command again with the same environment, as a supervisor does. */
  restart(extraEnvironment?: Record<string, string>): Promise<void>
}

/** Finds the process that runs this file. */
export function findRestartableProcess(entry: string): RestartableProcess {
  let pid = findProcessId(entry)
  const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean)
  const env = processEnvironment(pid)
  return {
    kill: () => process.kill(pid, 'SIGKILL'),
    async restart(extraEnvironment = {}) {
      while (isRunning(pid)) await sleep(10)
      const [program, ...args] = command
      const child = spawn(requireValue(program, 'the program'), args, {
        env: { ...env, ...extraEnvironment },
        stdio: 'ignore',
      })
      pid = requireValue(child.pid, 'the id of the restarted process')
      startedPids.push(pid)
    },
  }
}

const startedPids: number[] = []

/** Kills the processes that `restart` has started. */
export function endRestartedProcesses(): void {
  for (const pid of startedPids) if (isRunning(pid)) process.kill(pid, 'SIGKILL')
}

/** Reports whether a process runs. A zombie (`Z`) has ended. */
function isRunning(pid: number): boolean {
  try {
    return !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
