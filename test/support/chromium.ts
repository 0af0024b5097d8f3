import chromium from '@sparticuz/chromium'
import {
  type Browser,
  type BrowserContextOptions,
  type Page,
  chromium as playwright,
} from 'playwright-core'

/** Arguments of the package that the tests do not use. */
const OMITTED_ARGUMENTS = [
  // With a single process, the second page never loads.
  '--single-process',
  '--no-zygote',
  // These arguments disable CORS and the block on mixed content, which normal browsers have.
  '--disable-web-security',
  '--allow-running-insecure-content',
]

// Without a GPU, WebGL in software slows down every page: a blurred background alone keeps two cores busy.
chromium.setGraphicsMode = false

/**
 * Starts a headless Chromium from an npm package. By default its pages reduce motion, because an animated spinner keeps two
 * cores busy without a GPU.
 */
export async function startBrowser(): Promise<Browser> {
  const browser = await playwright.launch({
    executablePath: await chromium.executablePath(),
    args: chromium.args.filter((arg) => !OMITTED_ARGUMENTS.includes(arg)),
    headless: true,
  })
  const newContext = browser.newContext.bind(browser)
  return Object.assign(browser, {
    newContext: (options?: BrowserContextOptions) =>
      newContext({ reducedMotion: 'reduce', ...options }),
  })
}

/** Reads the text of the first element that matches a selector, in visual order: line by line, from the left. */
export async function readVisibleText(page: Page, paragraph: string): Promise<string> {
  return page.evaluate(`(${VISIBLE_TEXT})(document.querySelector(${JSON.stringify(paragraph)}))`)
}

const VISIBLE_TEXT = `(paragraph) => {
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
