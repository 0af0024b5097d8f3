import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Response } from 'express'
import { html } from '../../../design/html.ts'
import { htmlPage } from '../../../design/html-page.ts'
import { brandHeader, TOKENS_SHEET } from '../../../design/look.ts'
import { findPackagedFile } from '../../ready-made.ts'
import type { MediaType, Operation } from '../operation.ts'

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

const HEAD = html`<link rel="stylesheet" href="/docs/viewer.css">`

const VIEWER = html`<div id="docs"></div>
<script src="/docs/viewer.js"></script>
<script src="/docs/start.js"></script>`

/** The title of the page, and the link of its logo. */
type Head = {
  title: string
  /** The URL that the logo links to; null for no link. */
  home(response: Response): string | null
}

/** Creates the operation that serves a page at which people read `/openapi.json` and try requests. */
export function createDocsPage({ title, home }: Head): Operation<unknown, unknown> {
  return {
    tag: 'Description',
    summary: 'This description as an HTML page',
    answers: { 200: 'text/html' },
    errors: [],
    handle: () => (_input, _request, response) => {
      const page = {
        title,
        head: HEAD,
        body: html`${brandHeader(home(response))}
${VIEWER}`,
      }
      response.set('content-security-policy', POLICY).type('html').send(htmlPage(page))
    },
  }
}

const viewerFolder =
  findPackagedFile('swagger-ui') ??
  dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')))
const thisFolder = fileURLToPath(new URL('.', import.meta.url))

export const docsViewer = docsFile('text/javascript', () =>
  readFile(join(viewerFolder, 'swagger-ui-bundle.js')),
)
export const docsStart = docsFile('text/javascript', () =>
  readFile(join(thisFolder, 'docs-start.js')),
)

/** The viewer's style sheet, then ours. The viewer's sheet is in a CSS layer, so that our rules win. */
export const docsStyle = docsFile('text/css', async () => {
  const viewer = await readFile(join(viewerFolder, 'swagger-ui.css'), 'utf8')
  const look = await readFile(join(thisFolder, 'docs.css'), 'utf8')
  return `@layer viewer {\n${viewer}\n}\n${TOKENS_SHEET}\n${look}`
})

function docsFile(
  type: MediaType,
  read: () => Promise<Buffer | string>,
): Operation<unknown, unknown> {
  return {
    tag: 'Assets',
    summary: 'A file that the page loads',
    answers: { 200: type },
    errors: [],
    // `sendFile` would also serve ranges, with errors that are not in our form.
    handle: () => async (_input, _request, response) => {
      response.set('cache-control', 'public, max-age=3600')
      response.type(type).send(await read())
    },
  }
}
