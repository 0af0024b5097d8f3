import { readFileSync } from 'node:fs'

/**
 * Calls `end` when npm, which has started this process, was killed: it then passes no signal on, and nobody would hear of it.
 * Only on Linux is there a way to tell.
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

/** npm runs a shell, which runs this process, unless it has become this process. */
function findNpm(): number | null {
  const parent = process.ppid
  return [parent, parentOf(parent)].find(isNpm) ?? null
}

/** npm calls its process after its arguments, such as `npm start`. */
function isNpm(pid: number): boolean {
  return /^npm /.test(readProcessFile(pid, 'cmdline'))
}

function parentOf(pid: number): number {
  const [, parent] = /\) \S (\d+)/.exec(readProcessFile(pid, 'stat')) ?? []
  return Number(parent)
}

/** Empty when there is no such process. */
function readProcessFile(pid: number, file: 'cmdline' | 'stat'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
