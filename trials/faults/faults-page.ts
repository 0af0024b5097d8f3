/** The path of the page with the results, relative to the repository. */
export const FAULTS_PAGE = 'docs/faults.md'

/**
 * Replaces a program's results in the page: the text between `<!-- made by: npm run test:PROGRAM -->` and `<!-- end -->`.
 *
 * @throws Error if the page lacks one of these comments
 */
export function replaceResults(
  page: string,
  program: 'faults' | 'failover',
  results: string,
): string {
  const begin = `<!-- made by: npm run test:${program} -->\n`
  const start = page.indexOf(begin) + begin.length
  const end = page.indexOf('<!-- end -->', start)
  if (start < begin.length || end < 0)
    throw new Error(`${FAULTS_PAGE} lacks "${begin.trim()}" or "<!-- end -->".`)
  return `${page.slice(0, start)}\n${results}\n\n${page.slice(end)}`
}
