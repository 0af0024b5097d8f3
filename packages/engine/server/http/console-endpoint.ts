import { readFile } from 'node:fs/promises'
import { isOwnHost } from '../../../../lib/runtime/http/own-hosts.ts'
import { present } from '../../../../lib/runtime/present.ts'
import { ownValue } from '../../json/own-value.ts'
import { type Endpoint, type EndpointRequest, type HttpReply, textReply } from './endpoint.ts'

/** The path of the page, and the prefix of everything that it loads. */
export const CONSOLE_PATH = '/console'

/**
 * GET /console: GraphiQL in the browser. Its package is loaded only when one of its files is requested. It answers under the
 * names of this machine, and under that of HASURA_GRAPHQL_SERVER_HOST.
 */
export const consoleEndpoint: Endpoint = async ({ path, client }, { engine: { config } }) => {
  if (!isOwnHost(client.headers.host, [config.host]))
    return textReply(421, `This page answers as http://localhost:${config.port}${CONSOLE_PATH}`)
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

/** A file of the GraphiQL package, compressed if the client accepts that; null when the package has no such file. */
async function readPackagedFile(
  path: string,
  { headers }: EndpointRequest['client'],
): Promise<HttpReply | null> {
  if (!path.startsWith(PACKAGED_FILES_PATH)) return null
  const { getStaticFile } = await import('ruru/static')
  const found = await getStaticFile({
    staticPath: PACKAGED_FILES_PATH,
    urlPath: path,
    acceptEncoding: headers['accept-encoding'],
    disallowDevAssets: true,
  })
  if (!found) return null
  const { 'content-type': type, 'content-encoding': encoding } = found.headers
  const mediaType = present(type, 'the media type of a packaged file')
  return fileReply(found.content, mediaType, encoding ? { 'Content-Encoding': encoding } : {})
}

function fileReply(body: Buffer, type: string, encoding: Record<string, string> = {}): HttpReply {
  const headers = { ...SECURITY_HEADERS, ...encoding, Vary: 'Accept-Encoding' }
  return { status: 200, type, body, headers, cookies: [], hasRequestId: false }
}

/** The page may load and call only this server; inline styles are allowed because the editor needs them. */
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
