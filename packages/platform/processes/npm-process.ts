import { readFileSync } from 'node:fs'

/**
 * Calls `end` if the npm process that has started this process is killed, because a killed npm passes no signal on. Works only on
 * Linux.
 */
export function onNpmKilled(end: () => void): void {
  const npm = findNpm()
  if (npm === null) return
  const timer = setInterval(() => {
    if (isNpm(npm)) return
    clearInterval(timer)
    end()
  }, 500).unref()
}

/** Finds npm: the parent, or the grandparent if npm started this process through a shell. */
function findNpm(): number | null {
  const parent = process.ppid
  return [parent, parentOf(parent)].find(isNpm) ?? null
}

/** Returns whether a process is npm. npm changes its command line to `npm` and its arguments, such as `npm start`. */
function isNpm(pid: number): boolean {
  return /^npm /.test(readProcessFile(pid, 'cmdline'))
}

function parentOf(pid: number): number {
  const [, parent] = /\) \S (\d+)/.exec(readProcessFile(pid, 'stat')) ?? []
  return Number(parent)
}

/** Reads a file about a process; empty if the process does not exist. */
function readProcessFile(pid: number, file: 'cmdline' | 'stat'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
