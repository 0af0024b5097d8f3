import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, vi } from 'vitest'
import { freePort } from '../../../../local/process/free-port.ts'
import { START_CACHE } from '../../../../test/support/start-cache.ts'
import { readSettings } from '../../settings/settings.ts'

export type StartCommand = {
  child: ChildProcess
  pid: number
  /** Returns everything that the command has written. */
  output(): string
  /** Waits until the command has written a text. */
  waitForOutput(text: string): Promise<void>
}

/** Returns free ports by the names of their variables. */
export async function freePorts(): Promise<Record<string, string>> {
  const names = Object.keys(readSettings({}).ports)
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, String(await freePort())])),
  )
}

/** Runs the program of `npm start` with only PATH and this environment. */
export function startCommand(env: Record<string, string>, ...args: string[]): StartCommand {
  const entry = [...START_CACHE, 'packages/platform/command.ts']
  return runCommand(process.execPath, [...entry, ...args], env)
}

/** Runs `npm start`. */
export function npmStart(env: Record<string, string>): StartCommand {
  return runCommand('npm', ['start'], env)
}

function runCommand(program: string, args: string[], env: Record<string, string>): StartCommand {
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      output += text
    })
  return {
    child,
    pid: child.pid ?? 0,
    output: () => output,
    waitForOutput: async (text) => {
      const hasEnded = () => child.exitCode !== null
      await vi.waitUntil(() => output.includes(text) || hasEnded(), {
        timeout: 100_000,
        interval: 5,
      })
      expect(output).toContain(text)
    },
  }
}

/** Returns the ids of all running descendants of a process. Linux only. */
export function descendants(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), parentOf(Number(name))] as const)
  const findDescendants = (ancestor: number): number[] =>
    parents.flatMap(([child, parent]) =>
      parent === ancestor ? [child, ...findDescendants(child)] : [],
    )
  return findDescendants(pid)
}

/** Returns whether a process runs. A zombie does not run. */
export function isRunning(pid: number): boolean {
  return parentOf(pid) !== null
}

function parentOf(pid: number): number | null {
  try {
    const [, state, parent] = /\) (\S) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    return state === 'Z' ? null : Number(parent)
  } catch {
    return null
  }
}
