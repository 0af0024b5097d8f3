import { readFileSync } from 'node:fs'
import { PAGE_SHEET } from '../../lib/design/look.ts'
import type { MediaType, Operation } from '../../lib/runtime/web/operation.ts'

/** The files that the page loads, by name. The page loads scripts and style sheets only from this server. */
export const ASSETS: readonly (readonly [name: string, asset: Operation<unknown, unknown>])[] = [
  ['sign-in.js', asset('text/javascript', readAsset(new URL('sign-in.js', import.meta.url)))],
  ['bridge.js', asset('text/javascript', readAsset(new URL('bridge.js', import.meta.url)))],
  [
    'sign-in.css',
    asset('text/css', `${PAGE_SHEET}\n${readAsset(new URL('sign-in.css', import.meta.url))}`),
  ],
  // The npm package unchanged: it is a single module without imports.
  ['uqr.js', asset('text/javascript', readAsset(new URL(import.meta.resolve('uqr'))))],
]

function asset(type: MediaType, text: string): Operation<unknown, unknown> {
  return {
    tag: 'Pages',
    summary: 'A file that the sign-in page loads',
    answers: { 200: type },
    errors: [],
    handle: () => (_input, _request, response) => {
      response.set({
        'content-type': `${type}; charset=utf-8`,
        'cache-control': 'public, max-age=300',
      })
      response.send(text)
    },
  }
}

function readAsset(file: URL): string {
  return readFileSync(file, 'utf8')
}
