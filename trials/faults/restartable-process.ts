import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { present } from '../../lib/runtime/present.ts'
import {
  findProcessId,
  processEnvironment,
} from '../../packages/platform/processes/child-processes.ts'

/** A process of the platform that can be killed and started again as it was. */
export type RestartableProcess = {
  /** By SIGKILL, as if the machine lost power. */
  kill(): void
  /** As a supervisor does: runs the same command with the same environment, once the old process is gone. */
  restart(other?: Record<string, string>): Promise<void>
}

/** Finds the part of the platform that runs a file. */
export function restartableProcess(entry: string): RestartableProcess {
  let pid = findProcessId(entry)
  const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean)
  const env = processEnvironment(pid)
  return {
    kill: () => process.kill(pid, 'SIGKILL'),
    async restart(other = {}) {
      while (isRunning(pid)) await sleep(10)
      const [program, ...args] = command
      const child = spawn(present(program, 'the program'), args, {
        env: { ...env, ...other },
        stdio: 'ignore',
      })
      pid = present(child.pid, 'the id of a process that was started')
      started.push(pid)
    },
  }
}

const started: number[] = []

/** Ends what `restart` has started. */
export function endRestarted(): void {
  for (const pid of started) if (isRunning(pid)) process.kill(pid, 'SIGKILL')
}

/** A process that has ended but was not waited for is a zombie, `Z`. */
function isRunning(pid: number): boolean {
  try {
    return !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
