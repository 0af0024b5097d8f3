import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ICON } from '../../lib/design/look.ts'
import type { MediaType, Operation } from '../route/operation.ts'

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

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Developer API</title>
${ICON}
<link rel="stylesheet" href="/docs/viewer.css">
</head>
<body>
<main id="docs"></main>
<script src="/docs/viewer.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

/** The description of the API for people, made from `/openapi.json`; requests can be tried out on it. */
export const docsPage: Operation<unknown, unknown> = {
  tag: 'Description',
  summary: 'This description, as a page',
  answers: { 200: 'text/html' },
  errors: [],
  handle: () => (_input, _request, response) => {
    response.set('content-security-policy', POLICY).type('html').send(PAGE)
  },
}

const viewerFolder = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')))
const thisFolder = fileURLToPath(new URL('.', import.meta.url))

export const docsViewer = docsFile(join(viewerFolder, 'swagger-ui-bundle.js'), 'text/javascript')
export const docsStyle = docsFile(join(viewerFolder, 'swagger-ui.css'), 'text/css')
export const docsStart = docsFile(join(thisFolder, 'docs-start.js'), 'text/javascript')

function docsFile(path: string, type: MediaType): Operation<unknown, unknown> {
  return {
    tag: 'Assets',
    summary: 'A file that the page loads',
    answers: { 200: type },
    errors: [],
    // Always the whole file: `sendFile` would also serve ranges, with errors that are not in our form.
    handle: () => async (_input, _request, response) => {
      response.set('cache-control', 'public, max-age=3600')
      response.type(type).send(await readFile(path))
    },
  }
}
