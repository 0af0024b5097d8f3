import { once } from 'node:events'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { isPortFree } from '../../../local/process/free-port.ts'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'
import { startBrowser } from '../../../test/support/chromium.ts'
import { readPrograms } from '../../../test/support/docs/programs.ts'
import { isolatedSettings } from '../settings/isolated-settings.ts'
import { startParts } from '../start-parts.ts'
import { startPlatform, type TestPlatform } from '../testing/test-platform.ts'

/** The folder for temporary folders during these tests. */
const folders = temporaryFolder('test-platform-')
let platform: TestPlatform

beforeAll(async () => {
  vi.stubEnv('TMPDIR', folders)
  platform = await startPlatform()
}, 120_000)
afterAll(async () => {
  await platform.close()
  vi.unstubAllEnvs()
  rmSync(folders, { recursive: true })
})

test.each([Number.POSITIVE_INFINITY, 2 ** 31, 0, Number.NaN])(
  'startPlatform rejects a timeoutMs of %d',
  async (timeoutMs) => {
    await expect(startPlatform({ timeoutMs })).rejects.toThrow('timeoutMs must be 1 to 2147483647')
  },
)

test('startPlatform rejects an unknown option', async () => {
  const options = { dta: 'folder' }
  await expect(startPlatform(options as object)).rejects.toThrow(
    'startPlatform has the options data and timeoutMs; got dta.',
  )
})

test('startPlatform fails after timeoutMs', async () => {
  await expect(startPlatform({ timeoutMs: 1 })).rejects.toThrow('did not start within 0.001 s.')
})

test('a start that hangs in a step ends with all its parts after an abort', async () => {
  const folder = temporaryFolder('platform-hangs-')
  const settings = await isolatedSettings(folder)
  const deadline = new AbortController()
  const starting = startParts(settings, {
    onEnd: () => {},
    signal: deadline.signal,
    step: (name, work) => {
      if (name !== 'Mail catcher') return work()
      deadline.abort(new Error('too late'))
      return new Promise(() => {})
    },
  })
  await expect(starting).rejects.toThrow('too late')
  expect(await isPortFree(settings.ports.POSTGRES_PORT)).toBe(true)
  expect(await isPortFree(settings.ports.CHAIN_PORT)).toBe(true)
  rmSync(folder, { recursive: true })
})

test('prove rejects with the reason if the simulator makes no proof', async () => {
  const purpose = { app: platform.appId, action: 'vote', signal: 's'.repeat(200_000) }
  await expect(platform.prove(purpose)).rejects.toThrow(
    /^The simulator made no proof: request entity too large$/,
  )
})

test('a proof for the hash of a signal is the proof for the signal', async () => {
  const purpose = { app: platform.appId, action: 'claim', identity: 'ada' }
  const signal_hash = '0x00c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a4'
  const proof = await platform.prove({ ...purpose, signal_hash })
  expect(proof).toMatchObject({ signal_hash, verification_level: 'orb' })
  const url = `${platform.baseUrl}/api/v2/verify/${platform.appId}`
  const headers = { 'content-type': 'application/json' }
  // The server computes the hash of the empty signal.
  const { signal_hash: _, ...request } = proof
  expect(
    await fetch(url, { method: 'POST', headers, body: JSON.stringify(request) }),
  ).toMatchObject({ status: 200 })
  await expect(platform.prove({ ...purpose, signal: '', signal_hash })).rejects.toThrow(
    'Send signal or signal_hash, not both.',
  )
})

test('a proof of protocol 4.0 is verified and counted once, and a changed proof is counted nowhere', async () => {
  const purpose = { app: platform.appId, protocol: '4.0', identity: 'ada' } as const
  const proof = await platform.prove({ ...purpose, action: 'join', signal: 'yes' })
  const [item] = proof.responses
  const changes = [
    { nonce: `0x${'0'.repeat(63)}1` },
    { action: 'leave' },
    { responses: [{ ...item, signal_hash: `0x${'0'.repeat(64)}` }] },
    { responses: [{ ...item, expires_at_min: 1_900_000_000 }] },
    { responses: [{ ...item, issuer_schema_id: 9303 }] },
    { responses: [{ ...item, nullifier: `0x${'0'.repeat(63)}1` }] },
  ]
  for (const change of changes)
    expect(await postVerify4({ ...proof, ...change })).toMatchObject({
      status: 400,
      body: { code: 'all_verifications_failed' },
    })
  expect(await postVerify4(proof)).toMatchObject({
    status: 200,
    body: { success: true, action: 'join', nullifier: item?.nullifier },
  })
  expect(await postVerify4(proof)).toMatchObject({ body: { code: 'max_verifications_reached' } })
})

test('session proofs of one person are verified, and another person gets no proof of the session', async () => {
  const purpose = { app: platform.appId, protocol: '4.0', identity: 'ada' } as const
  const opened = await platform.prove({ ...purpose, session_id: 'create' })
  const session_id = requireValue(opened.session_id, 'the session id')
  const again = await platform.prove({ ...purpose, session_id, credential: 'passport' })
  for (const proof of [opened, again])
    expect(await postVerify4(proof)).toMatchObject({
      status: 200,
      body: { success: true, session_id },
    })
  await expect(platform.prove({ ...purpose, session_id, identity: 'bob' })).rejects.toThrow(
    'The simulator made no proof: This person did not open this session',
  )
})

async function postVerify4(proof: object) {
  const response = await fetch(`${platform.baseUrl}/api/v4/verify/${platform.appId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(proof),
  })
  return { status: response.status, body: await response.json() }
}

test('signIn signs a person in to a website, and the same person again', async () => {
  const start = `${platform.demoUrl}/sign-in`
  const first = await platform.signIn(start, 'ada')
  expect(first.page).toMatchObject({
    status: 200,
    url: first.callbackUrl,
    body: expect.stringContaining('You are signed in'),
  })
  expect(first.callbackUrl).toMatch(`${platform.demoUrl}/callback?code=`)
  expect(first.cookie).toMatch(/^pending_sign_in=/)
  const [again, other] = await Promise.all([
    platform.signIn(start, 'ada'),
    platform.signIn(start, 'bob'),
  ])
  expect(subject(again.page)).toBe(subject(first.page))
  expect(subject(other.page)).not.toBe(subject(first.page))
})

test('signIn with null cancels, and the website gets access_denied', async () => {
  const { callbackUrl, page } = await platform.signIn(`${platform.demoUrl}/sign-in`, null)
  expect(new URL(callbackUrl).searchParams.get('error')).toBe('access_denied')
  expect(page).toMatchObject({ status: 400, body: expect.stringContaining('not signed in') })
})

test('signIn from the sign-in server does not open the redirect URI', async () => {
  const end = await platform.signIn(authorizeUrl({}), 'ada')
  expect(end).toEqual({
    callbackUrl: expect.stringMatching(/^http:\/\/localhost:\d+\/callback\?code=/),
    page: null,
    cookie: '',
  })
})

test('signIn posts the form of response_mode=form_post to the website', async () => {
  const website = createServer((_request, response) => {
    response.writeHead(302, { location: authorizeUrl({ response_mode: 'form_post' }) }).end()
  })
  await once(website.listen(0, '127.0.0.1'), 'listening')
  const address = website.address()
  const port = typeof address === 'object' ? address?.port : ''
  const { page } = await platform.signIn(`http://127.0.0.1:${port}/`)
  website.close()
  // The demo website does not accept a posted form, and its response names the method.
  expect(page).toMatchObject({
    url: `${platform.demoUrl}/callback`,
    body: expect.stringContaining('Cannot POST /callback'),
  })
})

test.each([
  [
    'a page that does not redirect',
    () => platform.demoUrl,
    /^Expected the sign-in page of .*; got/,
  ],
  [
    'a redirect URI that is not registered',
    () => authorizeUrl({ redirect_uri: 'https://other.example/' }),
    /^Expected the sign-in page of .*\/authorize with the status 400: .*redirect_uri did not match/,
  ],
])('signIn from %s is rejected', async (_, url, message) => {
  await expect(platform.signIn(url(), 'ada')).rejects.toThrow(message)
})

test("testing.md's program for Playwright signs a person in", async () => {
  const file = join(folders, 'sign-in.mjs')
  writeFileSync(file, readPrograms('packages/platform/docs/testing.md').get('js playwright') ?? '')
  const { signInAs } = await import(file)
  const browser = await startBrowser()
  const page = await browser.newPage()
  await page.goto(`${platform.demoUrl}/sign-in`)
  await signInAs(page, 'ada')
  await page.getByText('You are signed in').waitFor()
  const shown = { body: await page.content() }
  await browser.close()
  const { page: withoutBrowser } = await platform.signIn(`${platform.demoUrl}/sign-in`, 'ada')
  expect(subject(shown)).toBe(subject(withoutBrowser))
})

test('pay makes a payment that the API reports as mined', async () => {
  const to = '0x000000000000000000000000000000000000f00d'
  const { from, ...payment } = await platform.pay({ to, token: 'USDCE', amount: '1500000' })
  const object = { app_id: platform.appId, reference: 'order-1', expected_from: from, ...payment }
  const headers = {
    authorization: `Bearer ${platform.apiKey}`,
    'content-type': 'application/json',
  }
  const query = `mutation ($object: transaction_insert_input!) { insert_transaction_one(object: $object) { id } }`
  const body = JSON.stringify({ query, variables: { object } })
  const insertion = await fetch(`${platform.baseUrl}/v1/graphql`, { method: 'POST', headers, body })
  expect(await insertion.json()).toEqual({
    data: { insert_transaction_one: { id: expect.stringMatching(/^txn_/) } },
  })
  const search = `reference=order-1&type=payment&app_id=${platform.appId}`
  const readStatus = async () =>
    (await fetch(`${platform.baseUrl}/api/v2/minikit/transaction?${search}`, { headers })).json()
  await expect.poll(readStatus).toMatchObject({ transaction_status: 'mined', from })
  await expect(platform.pay({ to, token: 'USDCE', amount: '1.5' })).rejects.toThrow(
    /^amount must be a text of digits.*; got 1\.5\.$/,
  )
  const number = { to, token: 'USDCE', amount: 5 }
  await expect(Reflect.apply(platform.pay, null, [number])).rejects.toThrow(/; got 5\.$/)
})

function authorizeUrl(query: Record<string, string>): string {
  const search = new URLSearchParams({
    response_type: 'code',
    scope: 'openid',
    client_id: platform.appId,
    redirect_uri: `${platform.demoUrl}/callback`,
    ...query,
  })
  return `${platform.authUrl}/authorize?${search}`
}

/** Reads the person's id from the page of the demo website. */
function subject(page: { body: string } | null): string | undefined {
  return /<dt>sub<\/dt><dd>(.*?)<\/dd>/.exec(page?.body ?? '')?.[1]
}

test('a second call of close waits until the first has stopped the platform and removed its folder', async () => {
  expect(platformsIn(folders)).toHaveLength(1)
  const { port } = new URL(platform.databaseUrl)
  const firstClose = platform.close()
  await platform.close()
  expect(await isPortFree(Number(port))).toBe(true)
  expect(platformsIn(folders)).toEqual([])
  await firstClose
})

function platformsIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.startsWith('personhood-platform-'))
}
