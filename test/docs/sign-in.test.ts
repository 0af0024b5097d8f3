import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../platform/processes/free-ports.ts'
import { registerClient, type TestClient } from '../support/oidc/register-client.ts'
import { startTestSignIn, type TestSignIn } from '../support/oidc/start-sign-in.ts'
import { Visitor } from '../support/oidc/visitor.ts'

/** The programs of docs/sign-in.md, by the word after ```js. */
const PROGRAMS = new Map(
  [...readFileSync('docs/sign-in.md', 'utf8').matchAll(/```js (\S+)\n(.*?)```/gs)].map(
    ([, name = '', program = '']) => [name, program],
  ),
)

let platform: TestSignIn
let client: TestClient
let issuer: string
let port: number
let folder: string
let website: ChildProcess | undefined

beforeAll(async () => {
  port = await freePort()
  issuer = `http://localhost:${await freePort()}`
  platform = await startTestSignIn({
    AUTH_URL: issuer,
    DEVELOPMENT_REDIRECT_URIS: ['callback', 'auth/callback/personhood']
      .map((path) => `http://localhost:${port}/${path}`)
      .join(','),
  })
  client = await registerClient(platform.url)
  // Below the project, where its packages are found.
  mkdirSync('.cache', { recursive: true })
  folder = mkdtempSync('.cache/sign-in-')
})
afterEach(async () => {
  if (website?.exitCode !== null) return
  website.kill()
  await once(website, 'exit')
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await platform.stop()
})

test.each(['openid-client', 'passport', 'express-openid-connect'])(
  'the website with %s signs a person in',
  async (name) => {
    const browse = await startWebsite(name)
    expect(await (await browse('/')).text()).toContain('<a href="/login">')
    const left = await browse('/login')
    const back = await new Visitor(platform.url).signIn(locationOf(left))
    const arrived = await browse(locationOf(back))
    const home = await browse(locationOf(arrived))
    expect(await home.text()).toMatch(/^You are 0x[0-9a-f]{64}$/)
  },
)

test('the website with Auth.js signs a person in', async () => {
  const browse = await startWebsite('auth')
  const { csrfToken } = Object(await (await browse('/auth/csrf')).json())
  const left = await browse('/auth/signin/personhood', {
    method: 'POST',
    body: new URLSearchParams({ csrfToken, callbackUrl: `http://localhost:${port}/` }),
  })
  const back = await new Visitor(platform.url).signIn(locationOf(left))
  const arrived = await browse(locationOf(back))
  const home = await browse(locationOf(arrived))
  expect(await home.text()).toMatch(/^You are 0x[0-9a-f]{64}$/)
})

type Browse = (target: string, init?: RequestInit) => Promise<Response>

/** Runs a program as it is in the page; resolves to a browser of it, which keeps cookies and does not follow redirects. */
async function startWebsite(name: string): Promise<Browse> {
  const file = join(folder, `${name}.mjs`)
  writeFileSync(file, PROGRAMS.get(name) ?? '')
  website = spawn(process.execPath, [file], {
    env: {
      ISSUER: issuer,
      CLIENT_ID: client.id,
      CLIENT_SECRET: client.secret,
      SESSION_SECRET: 'a secret of these tests, and of no website',
      PORT: String(port),
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const cookies = new Map<string, string>()
  const browse: Browse = async (target, init) => {
    const cookie = [...cookies].map(([key, value]) => `${key}=${value}`).join('; ')
    const url = new URL(target, `http://localhost:${port}`)
    const response = await fetch(url, { ...init, headers: { cookie }, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) {
      const [, key = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(key, value)
    }
    return response
  }
  await expect
    .poll(() =>
      browse('/').then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200)
  return browse
}

function locationOf(response: Response): string {
  return response.headers.get('location') ?? `no redirect: ${response.status}`
}
