import { markdownTable } from '../../scripts/markdown-table.ts'

type Row = { name: string; seconds: number; verdict: 'passed' | 'failed'; result: string }

/** Runs the steps and collects their results. */
export type Report = {
  /**
   * Runs a step, and records its result or its failure.
   *
   * @param work resolves to a short text for the table, such as a measurement
   */
  step(name: string, work: () => Promise<string>): Promise<void>
  /** Runs a step that the later steps need. @throws Error if the step fails */
  need(name: string, work: () => Promise<string>): Promise<void>
  /** Returns the table, and the line `N passed, N failed`. */
  summary(): string
  hasFailed(): boolean
}

/** @param say prints a line at the start and at the end of each step */
export function startReport(say: (line: string) => void): Report {
  const rows: Row[] = []
  const attempt = async (name: string, work: () => Promise<string>) => {
    say(`\n${name} …`)
    const startTime = performance.now()
    const end = (verdict: Row['verdict'], result: string) => {
      const seconds = (performance.now() - startTime) / 1_000
      rows.push({ name, seconds, verdict, result })
      say(`  ${verdict} in ${seconds.toFixed(1)} s: ${result}`)
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
        throw new Error(`The run stops, because the later steps need "${name}".`)
    },
    summary: () => summaryOf(rows),
    hasFailed: () => rows.length === 0 || rows.some(({ verdict }) => verdict === 'failed'),
  }
}

function summaryOf(rows: readonly Row[]): string {
  const table = markdownTable(
    ['step', 'verdict', 'seconds', 'result'],
    rows.map(({ name, verdict, seconds, result }) => [
      name,
      verdict,
      seconds.toFixed(1),
      result.replaceAll(/\s+/g, ' ').slice(0, 300),
    ]),
  )
  const failureCount = rows.filter(({ verdict }) => verdict === 'failed').length
  return `${table}\n\n${rows.length - failureCount} passed, ${failureCount} failed`
}
