import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { z } from 'zod'

export type AccessFault = { id: string; help: string; impact: string; html: string[] }

/**
 * Finds accessibility faults of a page with axe, with all rules or only these rules. Loads axe into the page once. Does not
 * check frames.
 */
export async function findAccessFaults(page: Page, rules?: string[]): Promise<AccessFault[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE)
  const runOnly = rules && { type: 'rule', values: rules }
  // By default axe also describes the elements that pass, which takes longer than the check.
  const options = { resultTypes: ['violations'], runOnly }
  return Faults.parse(await page.evaluate(`(${VIOLATIONS})(${JSON.stringify(options)})`))
}

const AXE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

const VIOLATIONS = `async (options) => {
  const { violations } = await axe.run(document, options)
  return violations.map(({ id, help, impact, nodes }) => ({ id, help, impact, html: nodes.map(({ html }) => html) }))
}`

const Faults = z.array(
  z.object({ id: z.string(), help: z.string(), impact: z.string(), html: z.array(z.string()) }),
)
