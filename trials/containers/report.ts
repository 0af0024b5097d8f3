import { markdownTable } from '../../scripts/markdown-table.ts'

type Row = { name: string; seconds: number; verdict: 'passed' | 'failed'; seen: string }

/** What was done, and what came of it. */
export type Report = {
  /**
   * Does a step. One that fails is noted, and the next one is done.
   *
   * @param work resolves to what was measured, in a few words
   */
  step(name: string, work: () => Promise<string>): Promise<void>
  /** The same for a step without which the others mean nothing. @throws when it fails */
  need(name: string, work: () => Promise<string>): Promise<void>
  /** The table, and the line `N passed, N failed`. */
  summary(): string
  hasFailed(): boolean
}

/** @param say gets a line whenever something begins or ends */
export function startReport(say: (line: string) => void): Report {
  const rows: Row[] = []
  const attempt = async (name: string, work: () => Promise<string>) => {
    say(`\n${name} …`)
    const began = performance.now()
    const end = (verdict: Row['verdict'], seen: string) => {
      const seconds = (performance.now() - began) / 1_000
      rows.push({ name, seconds, verdict, seen })
      say(`  ${verdict} in ${seconds.toFixed(1)} s: ${seen}`)
    }
    try {
      end('passed', await work())
      return null
    } catch (error) {
      end('failed', error instanceof Error ? error.message : String(error))
      return error
    }
  }
  return {
    async step(name, work) {
      await attempt(name, work)
    },
    async need(name, work) {
      if (await attempt(name, work))
        throw new Error(`Without "${name}" there is no use in going on.`)
    },
    summary: () => summaryOf(rows),
    hasFailed: () => rows.length === 0 || rows.some(({ verdict }) => verdict === 'failed'),
  }
}

function summaryOf(rows: readonly Row[]): string {
  const table = markdownTable(
    ['step', 'verdict', 'seconds', 'seen'],
    rows.map(({ name, verdict, seconds, seen }) => [
      name,
      verdict,
      seconds.toFixed(1),
      seen.replaceAll(/\s+/g, ' ').slice(0, 300),
    ]),
  )
  const failed = rows.filter(({ verdict }) => verdict === 'failed').length
  return `${table}\n\n${rows.length - failed} passed, ${failed} failed`
}
