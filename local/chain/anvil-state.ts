import { type ChildProcess, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Prepares a state file for a new chain: ends an orphaned chain that still writes the file, and replaces a damaged file
 * with its last copy. Without a copy, removes the damaged file.
 */
export async function takeOverState(file: string, log: (line: string) => void): Promise<void> {
  mkdirSync(dirname(file), { recursive: true })
  await endOrphanedChain(file)
  ensureWholeState(file, log)
}

/** Records, next to the state file, the id of anvil and the id of the process that started it. */
export function recordOwner(file: string, { pid }: ChildProcess): void {
  writeFileSync(ownerFile(file), `${process.pid} ${pid}`)
}

const ownerFile = (file: string) => `${file}.pid`

/** Ends a chain after its parent was killed. The chain occupies the port, and writes its latest state when it ends. */
export async function endOrphanedChain(file: string): Promise<void> {
  if (!existsSync(ownerFile(file))) return
  const [starter = 0, chain = 0] = readFileSync(ownerFile(file), 'utf8').split(' ').map(Number)
  if (isProcessAlive(starter) || !isAnvil(chain)) return
  process.kill(chain, 'SIGTERM')
  const deadline = Date.now() + 5_000
  while (isAnvil(chain) && Date.now() < deadline) await sleep(20)
}

function isProcessAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Reports whether anvil runs with this process id. The id may belong to another program, because ids are reused. */
function isAnvil(pid: number): boolean {
  return /^[^Z].*anvil/.test(process.platform === 'linux' ? linuxProcess(pid) : unixProcess(pid))
}

/** Returns the state and name of a process, such as 'S anvil'. Reads `/proc`, because slim images have no `ps`. */
function linuxProcess(pid: number): string {
  try {
    const [, name, state] = /\((.*)\) (.)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    return `${state} ${name}`
  } catch {
    return ''
  }
}

function unixProcess(pid: number): string {
  return spawnSync('ps', ['-p', String(pid), '-o', 'stat=,comm='], { encoding: 'utf8' }).stdout
}

/**
 * Keeps a copy of a complete state file, or restores the copy if the file is incomplete. anvil writes its state in
 * place: a kill during a write leaves an incomplete file, with which anvil does not start.
 */
function ensureWholeState(file: string, log: (line: string) => void): void {
  if (!existsSync(file)) return
  const previous = `${file}.previous`
  if (isJsonFile(file)) replaceFile(previous, file)
  else restorePreviousState(file, previous, log)
}

function restorePreviousState(file: string, previous: string, log: (line: string) => void): void {
  if (existsSync(previous)) {
    log(
      'The state file of the local chain is damaged. The chain continues from the state of its last start.',
    )
    replaceFile(file, previous)
  } else {
    log(
      'The state file of the local chain is damaged, and there is no copy. The chain starts empty.',
    )
    rmSync(file)
  }
}

function isJsonFile(file: string): boolean {
  try {
    JSON.parse(readFileSync(file, 'utf8'))
    return true
  } catch {
    return false
  }
}

function replaceFile(target: string, source: string): void {
  copyFileSync(source, `${target}.draft`)
  renameSync(`${target}.draft`, target)
}
