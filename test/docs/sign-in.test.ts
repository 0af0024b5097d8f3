import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { resolve } from 'node:path'
import { load } from 'js-yaml'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../local/process/free-port.ts'
import { isInstalled, readPrograms } from '../support/docs/programs.ts'
import { type Browse, startWebsite } from '../support/docs/website.ts'
import { registerClient, type TestClient } from '../support/oidc/register-client.ts'
import { startTestSignIn, type TestSignIn } from '../support/oidc/start-sign-in.ts'
import { Visitor } from '../support/oidc/visitor.ts'

const PROGRAMS = readPrograms('docs/sign-in.md')

/** A Python with the packages authlib, flask and requests; undefined if there is none. */
const PYTHON = ['python3', '/usr/bin/python3'].find((python) =>
  isInstalled(python, '-c', 'import authlib.integrations.flask_client, requests'),
)
const APACHE_MODULES = '/usr/lib/apache2/modules'
const hasApache =
  isInstalled('apache2', '-v') && existsSync(`${APACHE_MODULES}/mod_auth_openidc.so`)

/** The npm project that installs next-auth without Next.js, because the test runs next-auth in Express. */
const WITHOUT_PEERS = 'test/support/without-peers'
const hasNextAuth = existsSync(`${WITHOUT_PEERS}/node_modules/next-auth`)

let platform: TestSignIn
let client: TestClient
let issuer: string
let port: number
/** The folder of the programs. It is inside the project, so that the programs find the packages that they import. */
let folder: string
let nextAuthFolder: string

beforeAll(async () => {
  port = await freePort()
  issuer = `http://localhost:${await freePort()}`
  platform = await startTestSignIn({
    AUTH_URL: issuer,
    DEVELOPMENT_REDIRECT_URIS: [
      'callback',
      'auth/callback/personhood',
      'api/auth/callback/personhood',
    ]
      .map((path) => `http://localhost:${port}/${path}`)
      .join(','),
  })
  client = await registerClient(platform.url)
  folder = folderBelow('.')
  nextAuthFolder = folderBelow(WITHOUT_PEERS)
})
afterAll(async () => {
  for (const each of [folder, nextAuthFolder]) rmSync(each, { recursive: true, force: true })
  await platform.stop()
})

test('docs/sign-in.md has the programs of examples/sign-in', () => {
  const endings = { js: '.mjs', python: '.py', apache: '.conf', yaml: '.yaml', html: '.html' }
  const files = [...PROGRAMS].map(([name, program]) => {
    const [language = '', library = ''] = name.split(' ')
    const ending = Object.entries(endings).find(([key]) => key === language)?.[1]
    return { file: `${library.replaceAll('_', '-')}${ending}`, program }
  })
  for (const { file, program } of files)
    expect(program, file).toBe(readFileSync(`examples/sign-in/${file}`, 'utf8'))
  const others = new Set(globSync('*.*', { cwd: 'examples/sign-in' }))
  for (const { file } of files) others.delete(file)
  expect([...others]).toEqual(['package.json'])
})

test.each(['openid-client', 'passport', 'express-openid-connect', 'fastify'])(
  'the website with %s signs a person in, and answers a failed sign-in with a sentence',
  async (name) => {
    const browse = await start([process.execPath, write(`js ${name}`)])
    await failAt(browse)
    await signInAt(browse)
  },
)

test.skipIf(!PYTHON)(
  'the website with Authlib signs a person in, and answers a failed sign-in with a sentence',
  async () => {
    const browse = await start([PYTHON ?? '', write('python authlib')])
    await failAt(browse)
    await signInAt(browse)
  },
)

/** Returns to the website without a sign-in, after a cancelled sign-in, and with a wrong state. */
async function failAt(browse: Browse) {
  const refusal = { status: 401, text: 'You are not signed in. <a href="/login">Try again</a>' }
  expect(await browse('/callback?code=x&state=y')).toMatchObject(refusal)
  expect(await browse('/callback?code=x')).toMatchObject(refusal)
  const { location } = await browse('/login')
  expect(await browse(await cancelledCallback(location))).toMatchObject(refusal)
  await browse('/login')
  expect(await browse('/callback?code=x&state=y')).toMatchObject(refusal)
  expect((await browse('/')).text).toContain('<a href="/login">')
}

/** Requests a page, and follows the website's redirects. */
async function follow(browse: Browse, target: string) {
  let page = await browse(target)
  while (page.location) page = await browse(page.location)
  return page
}

/** Cancels a sign-in on the page of the sign-in server. @returns the URL to which the browser returns */
async function cancelledCallback(authorizeUrl: string): Promise<string> {
  const back = await new Visitor(platform.url).cancel(authorizeUrl)
  const callback = back.headers.get('location') ?? ''
  expect(callback).toContain('error=access_denied')
  return callback
}

/** Follows the link on the website's first page, signs in, and returns to the website. */
async function signInAt(browse: Browse) {
  expect((await browse('/')).text).toContain('<a href="/login">')
  await arriveFrom(browse, await browse('/login'))
}

/** Follows a redirect to the sign-in server, signs in, and returns to the website. */
async function arriveFrom(browse: Browse, redirect: { location: string }) {
  const back = await new Visitor(platform.url).signIn(redirect.location)
  const page = await browse(back.headers.get('location') ?? '')
  const home = await browse(page.location)
  expect(home.text).toMatch(/^You are 0x[0-9a-f]{64}$/)
}

/** The message of Auth.js and next-auth after a cancelled sign-in, above the button that signs in. */
const OTHER_TRY = { status: 200, text: expect.stringContaining('Try signing in with') }

test('the website with Auth.js signs a person in, and answers a failed sign-in with a sentence', async () => {
  const browse = await start([process.execPath, write('js auth')])
  const refusal = { status: 401, text: expect.stringMatching(/^You are not signed in/) }
  const forged = await follow(browse, '/auth/callback/personhood?code=x&state=y')
  expect(forged).toMatchObject(refusal)
  const { location } = await beginByForm(browse, '/auth')
  expect(await follow(browse, await cancelledCallback(location))).toMatchObject(OTHER_TRY)
  await signInByForm(browse, '/auth')
})

// `npm test` installs next-auth.
test.skipIf(!hasNextAuth)(
  'the website with next-auth signs a person in, and answers a failed sign-in with a sentence',
  async () => {
    const file = write('js next-auth', { into: nextAuthFolder })
    const browse = await start([process.execPath, file])
    const forged = await follow(browse, '/api/auth/callback/personhood?code=x&state=y')
    expect(forged).toMatchObject(OTHER_TRY)
    const { location } = await beginByForm(browse, '/api/auth')
    expect(await follow(browse, await cancelledCallback(location))).toMatchObject(OTHER_TRY)
    await signInByForm(browse, '/api/auth')
  },
)

/** Signs in with the form of Auth.js and next-auth. The form's paths are below `base`. */
async function signInByForm(browse: Browse, base: string) {
  expect((await browse('/')).text).toContain(`<a href="${base}/signin">`)
  await arriveFrom(browse, await beginByForm(browse, base))
}

/** Sends the form that begins a sign-in. */
async function beginByForm(browse: Browse, base: string) {
  const { csrfToken } = JSON.parse((await browse(`${base}/csrf`)).text)
  const form = { csrfToken, callbackUrl: `http://localhost:${port}/` }
  return browse(`${base}/signin/personhood`, { method: 'POST', form })
}

test.skipIf(!hasApache)(
  'Apache with mod_auth_openidc signs a person in, and refuses a failed sign-in',
  async () => {
    const upstream = createServer(({ headers }, response) => {
      response.end(`You are ${headers.oidc_claim_sub}`)
    })
    const upstreamPort = await freePort()
    await new Promise<void>((resolve) => upstream.listen(upstreamPort, '127.0.0.1', resolve))
    onTestFinished(() => void upstream.close())
    const file = write('apache mod_auth_openidc', { before: apacheBefore() })
    const browse = await start(['apache2', '-f', file, '-D', 'FOREGROUND'], {
      UPSTREAM: `http://127.0.0.1:${upstreamPort}/`,
    })
    expect(await browse('/callback?code=x&state=y')).toMatchObject({ status: 400 })
    const cancelled = await browse(await cancelledCallback((await browse('/')).location))
    expect(cancelled).toMatchObject({ status: 403, text: 'You are not signed in.' })
    await arriveFrom(browse, await browse('/', { headers: { oidc_claim_sub: '0xforged' } }))
    const forged = await browse('/', { headers: { oidc_claim_sub: '0xforged' } })
    expect(forged.text).toMatch(/^You are 0x[0-9a-f]{64}$/)
  },
)

/** Returns the part of Apache's configuration that comes before the part on the page. */
function apacheBefore(): string {
  const modules = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'proxy', 'proxy_http']
  return [
    ...[...modules, 'auth_openidc'].map(
      (name) => `LoadModule ${name}_module ${APACHE_MODULES}/mod_${name}.so`,
    ),
    `ServerRoot ${folder}`,
    'ServerName localhost',
    `Listen 127.0.0.1:${port}`,
    'User www-data',
    'Group www-data',
    `DefaultRuntimeDir ${folder}`,
    'PidFile apache.pid',
    // Apache cannot open this process's standard error by its name, because it is a socket.
    'ErrorLog "|/bin/cat"',
    'LogLevel crit',
    '',
  ].join('\n')
}

test('the sign-in server supports the settings for Spring', async () => {
  const settings: unknown = load(PROGRAMS.get('yaml spring') ?? '')
  const { registration, provider } = Object(settings).spring.security.oauth2.client
  const response = await fetch(`${issuer}/.well-known/openid-configuration`)
  const supported = Object(await response.json())
  expect(supported.issuer).toBe(provider.personhood['issuer-uri'].replace(/\$\{ISSUER\}/, issuer))
  expect(supported.claims_supported).toContain(provider.personhood['user-name-attribute'])
  const personhoodClient = registration.personhood
  expect(supported.scopes_supported).toContain(personhoodClient.scope)
  expect(supported.grant_types_supported).toContain(personhoodClient['authorization-grant-type'])
  expect(supported.token_endpoint_auth_methods_supported).toContain(
    personhoodClient['client-authentication-method'],
  )
})

function folderBelow(project: string): string {
  mkdirSync(`${project}/.cache`, { recursive: true })
  return resolve(mkdtempSync(`${project}/.cache/sign-in-`))
}

/** Writes a program of the page to a file. */
function write(name: string, { before = '', into = folder } = {}): string {
  const file = resolve(into, `${name.replace(' ', '-')}.mjs`)
  writeFileSync(file, before + (PROGRAMS.get(name) ?? ''))
  return file
}

const start = (command: string[], env: Record<string, string> = {}) =>
  startWebsite({
    command,
    port,
    env: {
      ISSUER: issuer,
      CLIENT_ID: client.id,
      CLIENT_SECRET: client.secret,
      SESSION_SECRET: 'a secret of these tests, and of no website',
      PORT: String(port),
      ...env,
    },
  })
