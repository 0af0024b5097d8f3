import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { vi } from 'vitest'
import { freePort } from '../../../local/process/free-port.ts'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'

/** Starts Caddy with a configuration. Returns a function that stops Caddy. */
export async function startCaddy(config: string, environment: Record<string, string> = {}) {
  const folder = temporaryFolder('caddy-')
  const file = join(folder, 'Caddyfile')
  writeFileSync(file, config)
  const env = { PATH: process.env.PATH, HOME: folder, ...environment }
  const options = ['run', '--adapter', 'caddyfile', '--config', file]
  const caddy = spawn('caddy', options, { env, stdio: 'ignore' })
  return async () => {
    caddy.kill('SIGTERM')
    await once(caddy, 'exit')
  }
}

type Services = { apiPort: number; signInPort: number; trustedProxies: string }

/** Starts the proxy of compose (ops/Caddyfile) on free ports, in front of services on these ports. */
export async function startProxy({ apiPort, signInPort, trustedProxies }: Services) {
  const ports = { api: await freePort(), signIn: await freePort(), health: await freePort() }
  const config = readFileSync('ops/Caddyfile', 'utf8')
    .replace(':3000 {', `:${ports.api} {`)
    .replace(':3001 {', `:${ports.signIn} {`)
    .replace(':2080 {', `:${ports.health} {`)
    .replace('webhooks 3000', `localhost ${apiPort}`)
    .replace('oidc 3001', `localhost ${signInPort}`)
    .replaceAll(/\{args\[(\d)\]\}/g, hasOldArguments() ? '{args.$1}' : '$&')
  const stop = await startCaddy(config, { TRUSTED_PROXIES: trustedProxies })
  await vi.waitFor(async () => {
    const { ok } = await fetch(`http://127.0.0.1:${ports.health}/`)
    if (!ok) throw new Error('The proxy is not ready.')
  }, 60_000)
  return { ports, stop }
}

/** True if this is a Caddy before 2.7, such as Debian 12's. It writes the arguments of a snippet differently. */
function hasOldArguments(): boolean {
  const [, minor] = /^v?2\.(\d+)/.exec(String(spawnSync('caddy', ['version']).stdout)) ?? []
  return Number(minor) < 7
}
