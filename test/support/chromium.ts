import chromium from '@sparticuz/chromium'
import { type Browser, type Page, chromium as playwright } from 'playwright-core'

/** A real headless Chromium, installed by npm alone. */
export async function startBrowser(): Promise<Browser> {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    // With the package's own arguments (a single process) the second page never loads.
    args: chromium.args.filter((arg) => !['--single-process', '--no-zygote'].includes(arg)),
    headless: true,
  })
}

/** The text of a paragraph in the order in which people see it, line by line from the left. */
export async function textAsSeen(page: Page, paragraph: string): Promise<string> {
  return page.evaluate(`(${AS_SEEN})(document.querySelector(${JSON.stringify(paragraph)}))`)
}

const AS_SEEN = `(paragraph) => {
  const signs = []
  const texts = document.createTreeWalker(paragraph, NodeFilter.SHOW_TEXT)
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    for (let i = 0; i < text.data.length; i++) {
      const range = new Range()
      range.setStart(text, i)
      range.setEnd(text, i + 1)
      const { top, left } = range.getBoundingClientRect()
      signs.push({ sign: text.data[i], top: Math.round(top), left })
    }
  }
  signs.sort((one, other) => one.top - other.top || one.left - other.left)
  return signs.map(({ sign }) => sign).join('').replaceAll(/\\p{Cf}/gu, '')
}`
