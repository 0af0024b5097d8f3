import { readFile } from 'node:fs/promises'
import type { RequestHandler } from 'express'
import { pagePolicy } from '../../lib/design/styled-page.ts'
import { ApiError } from '../../lib/runtime/errors.ts'
import { isOwnHost } from '../../lib/runtime/http/own-hosts.ts'

type Options = { file: string; baseUrl: string }

export const LOCAL_PATH = '/local'

/**
 * Serves the start page of `npm start`, which lists the local services. The page shows credentials, so it is served only
 * under the host name of `baseUrl` (against DNS rebinding).
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
