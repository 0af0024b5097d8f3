/** The page with the results, from the root of the repository. */
export const FAULTS_PAGE = 'docs/faults.md'

/**
 * The page with the results of a program replaced: they stand between `<!-- made by: npm run test:PROGRAM -->` and
 * `<!-- end -->`.
 *
 * @throws Error when the page has no place for them
 */
export function withTable(page: string, program: 'faults' | 'failover', results: string): string {
  const begin = `<!-- made by: npm run test:${program} -->\n`
  const start = page.indexOf(begin) + begin.length
  const end = page.indexOf('<!-- end -->', start)
  if (start < begin.length || end < 0) throw new Error(`no place for the results of ${program}`)
  return `${page.slice(0, start)}\n${results}\n\n${page.slice(end)}`
}
