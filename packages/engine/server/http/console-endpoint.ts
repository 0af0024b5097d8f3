import { readFile } from 'node:fs/promises'
import { isOwnHost } from '../../../../lib/runtime/http/own-hosts.ts'
import { requireValue } from '../../../../lib/runtime/require-value.ts'
import { ownValue } from '../../json/own-value.ts'
import { type Endpoint, type EndpointRequest, type HttpReply, textReply } from './endpoint.ts'

/** The path of the console's page, and the prefix of its files. */
export const CONSOLE_PATH = '/console'

/**
 * GET /console: serves GraphiQL. Loads the package `ruru`, which contains GraphiQL, on the first request for one of its files.
 * Answers 421 unless the request's host is a name of this machine, or HASURA_GRAPHQL_SERVER_HOST.
 */
export const consoleEndpoint: Endpoint = async ({ path, client }, { engine: { config } }) => {
  if (!isOwnHost(client.headers.host, [config.host]))
    return textReply(421, `Open http://localhost:${config.port}${CONSOLE_PATH} instead.`)
  const ownFile = ownValue(OWN_FILES, path.slice(CONSOLE_PATH.length))
  if (ownFile) {
    const content = await readFile(new URL(`console/${ownFile.name}`, import.meta.url))
    return fileReply(content, ownFile.type)
  }
  return (await readPackagedFile(path, client)) ?? textReply(404, 'not found')
}

const OWN_FILES: Readonly<Record<string, { name: string; type: string }>> = {
  '': { name: 'page.html', type: 'text/html; charset=utf-8' },
  '/': { name: 'page.html', type: 'text/html; charset=utf-8' },
  '/start.js': { name: 'start.js', type: 'text/javascript; charset=utf-8' },
  '/subscribe.js': { name: 'subscribe.js', type: 'text/javascript; charset=utf-8' },
}

const PACKAGED_FILES_PATH = `${CONSOLE_PATH}/static/`

/** Reads a file of the package `ruru`, compressed if the client accepts it. Returns null if the package does not have it. */
async function readPackagedFile(
  path: string,
  { headers }: EndpointRequest['client'],
): Promise<HttpReply | null> {
  if (!path.startsWith(PACKAGED_FILES_PATH)) return null
  const { getStaticFile } = await import('ruru/static')
  const file = await getStaticFile({
    staticPath: PACKAGED_FILES_PATH,
    urlPath: path,
    acceptEncoding: headers['accept-encoding'],
    disallowDevAssets: true,
  })
  if (!file) return null
  const { 'content-type': type, 'content-encoding': encoding } = file.headers
  const mediaType = requireValue(type, 'the media type of a packaged file')
  return fileReply(file.content, mediaType, encoding ? { 'Content-Encoding': encoding } : {})
}

function fileReply(body: Buffer, type: string, encoding: Record<string, string> = {}): HttpReply {
  const headers = { ...SECURITY_HEADERS, ...encoding, Vary: 'Accept-Encoding' }
  return { status: 200, type, body, headers, cookies: [], hasRequestId: false }
}

/** Lets the page load and call only this server. The editor needs inline styles. */
const SECURITY_HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self'",
    "connect-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "font-src 'self' data:",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
}
