import chromium from '@sparticuz/chromium'
import {
  type Browser,
  type BrowserContextOptions,
  type Page,
  chromium as playwright,
} from 'playwright-core'

/** Arguments of the package that we leave out. */
const UNWANTED = [
  // In a single process the second page never loads.
  '--single-process',
  '--no-zygote',
  // They would let a page read what a browser of people does not let it read (CORS).
  '--disable-web-security',
  '--allow-running-insecure-content',
]

// WebGL, drawn without a GPU, would draw every page with it: a blurred background alone then keeps both cores busy.
chromium.setGraphicsMode = false

/**
 * A real headless Chromium, installed by npm alone. Its people want less motion, unless a test says otherwise: without a
 * GPU, a spinner that turns keeps both cores busy.
 */
export async function startBrowser(): Promise<Browser> {
  const browser = await playwright.launch({
    executablePath: await chromium.executablePath(),
    args: chromium.args.filter((arg) => !UNWANTED.includes(arg)),
    headless: true,
  })
  const newContext = browser.newContext.bind(browser)
  return Object.assign(browser, {
    newContext: (options?: BrowserContextOptions) =>
      newContext({ reducedMotion: 'reduce', ...options }),
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
