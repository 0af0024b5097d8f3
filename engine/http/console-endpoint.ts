import { readFile } from 'node:fs/promises'
import { own } from '../json/own.ts'
import { type Endpoint, type Exchange, type Reply, text } from './endpoint.ts'

/** The path of the page, and of everything that it loads. */
export const CONSOLE = '/console'

/** GET /console: GraphiQL in the browser. It takes no memory until it is first requested. */
export const consoleEndpoint: Endpoint = async ({ path, client }) => {
  const ours = own(OWN, path.slice(CONSOLE.length))
  if (ours) return file(await readFile(new URL(`console/${ours.name}`, import.meta.url)), ours.type)
  return (await packaged(path, client)) ?? text(404, 'not found')
}

const OWN: Readonly<Record<string, { name: string; type: string }>> = {
  '': { name: 'page.html', type: 'text/html; charset=utf-8' },
  '/': { name: 'page.html', type: 'text/html; charset=utf-8' },
  '/start.js': { name: 'start.js', type: 'text/javascript; charset=utf-8' },
  '/subscribe.js': { name: 'subscribe.js', type: 'text/javascript; charset=utf-8' },
}

const STATIC = `${CONSOLE}/static/`

/** A file of GraphiQL itself; its package contains them compressed. */
async function packaged(path: string, { headers }: Exchange['client']): Promise<Reply | null> {
  if (!path.startsWith(STATIC)) return null
  const { getStaticFile } = await import('ruru/static')
  const found = await getStaticFile({
    staticPath: STATIC,
    urlPath: path,
    acceptEncoding: headers['accept-encoding'],
    disallowDevAssets: true,
  })
  if (!found) return null
  const { 'content-type': type = '', 'content-encoding': encoding } = found.headers
  return file(found.content, type, encoding ? { 'Content-Encoding': encoding } : {})
}

function file(body: Buffer, type: string, encoding: Record<string, string> = {}): Reply {
  const headers = { ...SAFETY, ...encoding, Vary: 'Accept-Encoding' }
  return { status: 200, type, body, headers, cookies: [], named: false }
}

/**
 * Scripts and requests may only concern this server;
 * inline styles are allowed because the editor needs them.
 */
const SAFETY = {
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
