import { readFileSync } from 'node:fs'
import type { RequestHandler } from 'express'
import { PAGE_SHEET } from '../../lib/design/look.ts'
import { ApiError } from '../../lib/runtime/errors.ts'

const SCRIPT = 'text/javascript; charset=utf-8'

/** Everything that the page loads; nothing comes from other servers. */
const assets: Record<string, { type: string; text: string }> = {
  'sign-in.js': { type: SCRIPT, text: readAsset(new URL('sign-in.js', import.meta.url)) },
  'bridge.js': { type: SCRIPT, text: readAsset(new URL('bridge.js', import.meta.url)) },
  'sign-in.css': {
    type: 'text/css; charset=utf-8',
    text: `${PAGE_SHEET}\n${readAsset(new URL('sign-in.css', import.meta.url))}`,
  },
  // The npm package as it is: a single module without imports.
  'uqr.js': { type: SCRIPT, text: readAsset(new URL(import.meta.resolve('uqr'))) },
}

/** @throws not_found */
export const serveAsset: RequestHandler = (request, response) => {
  const name = String(request.params.name)
  const found = Object.hasOwn(assets, name) ? assets[name] : undefined
  if (!found) throw new ApiError('not_found', { detail: 'No such path.' })
  response.set({ 'content-type': found.type, 'cache-control': 'public, max-age=300' })
  response.send(found.text)
}

function readAsset(file: URL): string {
  return readFileSync(file, 'utf8')
}
