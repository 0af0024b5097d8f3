import { readFile } from 'node:fs/promises'
import type { RequestHandler } from 'express'
import { pagePolicy } from '../../lib/design/styled-page.ts'
import { ApiError } from '../../lib/runtime/errors.ts'
import { isOwnHost } from '../../lib/runtime/http/own-hosts.ts'

type Options = { file: string; baseUrl: string }

/** Where it is. */
export const LOCAL_PATH = '/local'

/**
 * The page that `npm start` serves about what runs on this machine. It shows credentials, so it answers only requests whose Host header is our own.
 *
 * @throws not_found
 */
export function startPage({ file, baseUrl }: Options): RequestHandler {
  const { hostname } = new URL(baseUrl)
  return async (request, response) => {
    const isForUs = isOwnHost(request.headers.host, [hostname])
    const page = isForUs ? await readFile(file).catch(() => null) : null
    if (!page) throw new ApiError('not_found', { detail: 'No such path.' })
    response.set('content-security-policy', pagePolicy())
    response.type('html').send(page)
  }
}
