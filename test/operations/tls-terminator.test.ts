import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { requireValue } from '../../lib/runtime/require-value.ts'
import { freePort } from '../../local/process/free-port.ts'
import { temporaryFolder } from '../../local/process/temporary-folder.ts'
import { isInstalled } from '../support/docs/programs.ts'
import { startCaddy, startProxy } from '../support/operations/caddy.ts'

// Runs the TLS terminators of docs/operations/install.md in front of the proxy, in front of a program that answers with the
// request's headers.

const SITES = { 'api.example.com': 'api', 'id.example.com': 'signIn' } as const
const CALLER = '127.0.0.5'

const hasPrograms = isInstalled('caddy', 'version') && isInstalled('openssl', 'version')
const TERMINATORS = [
  { name: 'Caddy', language: 'caddyfile', start: startCaddyTerminator, isHere: hasPrograms },
  {
    name: 'nginx',
    language: 'nginx',
    start: startNginx,
    isHere: hasPrograms && isInstalled('nginx', '-v'),
  },
]

describe.each(TERMINATORS)('the TLS terminator $name', ({ language, start, isHere }) => {
  describe.runIf(isHere)('with the configuration of install.md', () => {
    const services = {
      api: createServer((incoming, response) => response.end(describeRequest('api', incoming))),
      signIn: createServer((incoming, response) =>
        response.end(describeRequest('signIn', incoming)),
      ),
    }
    const stops: (() => Promise<unknown>)[] = []
    let certificate: string
    let port: number

    beforeAll(async () => {
      services.api.on('upgrade', ({ headers }, socket) => {
        socket.end(
          `HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: ${headers.upgrade}\r\n\r\nhello`,
        )
      })
      for (const service of Object.values(services))
        await once(service.listen(0, '127.0.0.1'), 'listening')
      const proxy = await startProxy({
        apiPort: portOf(services.api),
        signInPort: portOf(services.signIn),
        trustedProxies: '127.0.0.1',
      })
      stops.push(proxy.stop)
      const folder = temporaryFolder('terminator-')
      certificate = createCertificate(folder)
      port = await freePort()
      const config = readConfiguration(language)
        .replaceAll(/\/etc\/\w+\/tls\/\w+/g, join(folder, 'certificate'))
        .replaceAll('127.0.0.1:3000', `127.0.0.1:${proxy.ports.api}`)
        .replaceAll('127.0.0.1:3001', `127.0.0.1:${proxy.ports.signIn}`)
      stops.push(await start(config, port, folder))
      await vi.waitFor(() => send('api.example.com'), 60_000)
    }, 120_000)
    afterAll(async () => {
      for (const stop of stops.toReversed()) await stop()
      for (const service of Object.values(services)) service.close()
    })

    test.each(Object.entries(SITES))(
      'a request to https://%s reaches the service %s',
      async (site, name) => {
        const response = await send(site)
        const { headers, service } = JSON.parse(await readBody(response))
        expect(service).toBe(name)
        expect(headers.host).toBe(`${site}:${port}`)
      },
    )

    test('the service gets the address of the caller, and not an address that the caller made up', async () => {
      const forged = { 'x-forwarded-for': '6.6.6.6' }
      const { headers } = JSON.parse(await readBody(await send('api.example.com', forged)))
      // With TRUSTED_PROXY_HOPS=2 the services skip the last address.
      expect(headers['x-forwarded-for']).toBe(`${CALLER}, 127.0.0.1`)
    })

    test('a WebSocket is opened', async () => {
      const call = openRequest('api.example.com', { connection: 'upgrade', upgrade: 'websocket' })
      const [response, socket] = await once(call, 'upgrade')
      socket.destroy()
      expect(response.statusCode).toBe(101)
      expect(response.headers.upgrade).toBe('websocket')
    })

    function openRequest(site: string, headers: IncomingHttpHeaders = {}) {
      const tls = { ca: certificate, servername: site }
      const host = { host: '127.0.0.1', port, localAddress: CALLER }
      const call = request({ ...host, ...tls, headers: { host: `${site}:${port}`, ...headers } })
      return call.end()
    }

    async function send(site: string, headers: IncomingHttpHeaders = {}): Promise<IncomingMessage> {
      const [response] = await once(openRequest(site, headers), 'response')
      if (response.statusCode !== 200) throw new Error(`${site} answers ${response.statusCode}`)
      return response
    }
  })
})

/** Returns the configuration on the page: the block of this language. */
function readConfiguration(language: string): string {
  const page = readFileSync('docs/operations/install.md', 'utf8')
  const [, config] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(page) ?? []
  return requireValue(config, `the configuration of ${language}`)
}

/** Writes a certificate for both sites and its key into the folder. Returns the certificate. */
function createCertificate(folder: string): string {
  const names = Object.keys(SITES)
    .map((site) => `DNS:${site}`)
    .join(',')
  const [certificate, key] = ['certificate.pem', 'certificate.key'].map((name) =>
    join(folder, name),
  )
  const options = `req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=test -addext subjectAltName=${names}`
  spawnSync('openssl', [...options.split(' '), '-out', `${certificate}`, '-keyout', `${key}`])
  return readFileSync(`${certificate}`, 'utf8')
}

/** Starts Caddy as the terminator, without its port for HTTP, which a test may not open. */
function startCaddyTerminator(config: string, port: number) {
  const options = `{\n\tadmin off\n\tauto_https disable_redirects\n\thttps_port ${port}\n}\n`
  return startCaddy(options + config)
}

async function startNginx(config: string, port: number, folder: string) {
  const file = join(folder, 'nginx.conf')
  const temporaryPaths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(' ')
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {}
    http { access_log off; ${temporaryPaths}
    ${config.replaceAll('listen 443', `listen ${port}`)} }`,
  )
  const nginx = spawn('nginx', ['-p', folder, '-c', file], { stdio: 'ignore' })
  return async () => {
    nginx.kill('SIGTERM')
    await once(nginx, 'exit')
  }
}

function describeRequest(service: string, { headers }: IncomingMessage): string {
  return JSON.stringify({ service, headers })
}

function portOf(service: ReturnType<typeof createServer>): number {
  return Object(service.address()).port
}

async function readBody(response: IncomingMessage): Promise<string> {
  return Buffer.concat(await response.toArray()).toString()
}
