import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatField, hashToField } from '../../lib/proof/encoding.ts'
import { publishRoot } from '../../local/chain/publish-root.ts'
import { freePort } from '../../local/process/free-port.ts'
import { startBusyProxy } from '../support/docs/busy-proxy.ts'
import {
  LANGUAGES,
  type Language,
  pathWithoutKeccak,
  variablesOfLanguages,
  writePrograms,
} from '../support/docs/languages.ts'
import { readPrograms, runToEnd } from '../support/docs/programs.ts'
import { beginSignIn, signInToCallback } from '../support/docs/website-session.ts'
import { tablesIn } from '../support/markdown-tables.ts'
import { CALLBACK, registerClient, type TestClient } from '../support/oidc/register-client.ts'
import { startTestSignIn, type TestSignIn } from '../support/oidc/start-sign-in.ts'
import { Visitor } from '../support/oidc/visitor.ts'
import { forgeRequest } from '../support/webhooks/forge-request.ts'
import { hash } from '../support/webhooks/payments.ts'
import { BUYER, SHOP, type Shop, startShop } from '../support/webhooks/start-shop.ts'

// Runs every program of docs/calls.md at least twice, also with wrong input. A proxy rejects the first request of most programs
// with 429.

const ROOT = 4711n
const PROGRAMS = readPrograms('docs/calls.md')
const CALLS = ['signal-hash', 'verify', 'precheck', 'sign-in', 'graphql', 'payments']

/** The signals of the page's table, with their hashes. */
const SIGNALS = tablesIn(readFileSync('docs/calls.md', 'utf8'))
  .flat()
  .flatMap(({ signal, 'signal hash': signalHash }) =>
    signal && signalHash ? [{ signal: signal.replace('the empty text', ''), signalHash }] : [],
  )
const UNUSUAL_SIGNALS = ['0x', '0xaBcD', '0XAB', '0xzz', '0x12\n', ' 0x12', `"\\n' %s $HOME *`]

let shop: Shop
let signIn: TestSignIn
let client: TestClient
let environment: Record<string, string>
const proxies: Awaited<ReturnType<typeof startBusyProxy>>[] = []
/** A folder inside the project, so that the programs find openid-client. */
let folder: string

beforeAll(async () => {
  mkdirSync('.cache', { recursive: true })
  folder = mkdtempSync(resolve('.cache', 'calls-'))
  const programFiles = writePrograms(PROGRAMS, folder)
  shop = await startShop()
  await publishRoot({ rpcUrl: shop.platform.anvil.rpcUrl, group: 'staging', root: ROOT })
  await makeActions()
  signIn = await startTestSignIn({ AUTH_URL: `http://localhost:${await freePort()}` })
  client = await registerClient(signIn.url)
  environment = {
    ...variablesOfLanguages(folder),
    BASE_URL: shop.platform.baseUrl,
    AUTH_URL: signIn.env.AUTH_URL,
    APP_ID: shop.app,
    ACTION: 'vote',
    API_KEY: shop.team.apiKey,
    CLIENT_ID: client.id,
    CLIENT_SECRET: client.secret,
    REDIRECT_URI: CALLBACK,
  }
  await programFiles
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await Promise.all(proxies.map((proxy) => proxy.stop()))
  await signIn.stop()
  await shop.stop()
})

test('docs/calls.md has every call in every language, and no other program', () => {
  const expectedPrograms = CALLS.flatMap((call) =>
    Object.keys(LANGUAGES).map((word) => `${word} ${call}`),
  )
  expect([...PROGRAMS.keys()]).toEqual(expectedPrograms)
})

test('the table of docs/calls.md has the signal hashes that the platform computes', () => {
  expect(SIGNALS).toHaveLength(5)
  for (const { signal, signalHash } of SIGNALS) expect(signalHash).toBe(hashOf(signal))
})

describe.each([
  ['sh', 1n],
  ['js', 2n],
  ['python', 3n],
  ['go', 4n],
] as const)('docs/calls.md works in %s', (language, nullifier) => {
  describe.skipIf(!LANGUAGES[language].isHere)('every program runs', () => {
    const run = (call: string, env: Record<string, string> = {}, input?: string) =>
      runProgram(language, call, { env, ...(input && { input }) })

    const hashingTest = LANGUAGES[language].hasKeccak ? test.concurrent : test.skip

    hashingTest('the program for signal-hash prints the hash of a text and of bytes', async () => {
      for (const signal of [...SIGNALS.map(({ signal }) => signal), ...UNUSUAL_SIGNALS])
        expect(await run('signal-hash', { SIGNAL: signal }), signal).toEqual({
          code: 0,
          output: `${hashOf(signal)}\n`,
        })
      expect(await run('signal-hash')).toEqual({ code: 0, output: `${hashOf('')}\n` })
    })

    hashingTest("the program for verify ignores the browser's signal hash and action", async () => {
      const person = { app: shop.app, action: 'vote', root: ROOT, nullifier: nullifier + 10n }
      const proof = await forgeRequest({ ...person, signal: 'vote for 8' })
      const input = JSON.stringify({ ...proof, action: 'another' })
      expect(await run('verify', { SIGNAL: 'vote for 7' }, input)).toMatchObject({
        code: 1,
        output: expect.stringMatching(/^Refused.*invalid_proof/),
      })
      const otherHash = JSON.stringify({ ...proof, signal_hash: hashOf('vote for 7') })
      expect(await run('verify', { SIGNAL: 'vote for 8' }, otherHash)).toMatchObject({
        code: 0,
        output: expect.stringMatching(/^Verified/),
      })
    })

    hashingTest('the program for verify verifies a person once', async () => {
      const proxy = await openProxy()
      const person = { app: shop.app, action: 'vote', root: ROOT, nullifier }
      const proof = JSON.stringify(await forgeRequest(person))
      const number = `0x${nullifier.toString(16).padStart(64, '0')}`
      const result = await run('verify', { BASE_URL: proxy.url }, proof)
      expect(result).toMatchObject({ code: 0, output: expect.stringMatching(/^Verified/) })
      expect(result.output).toContain(number)
      expect(proxy.keys).toEqual([expect.stringMatching(/^[0-9a-f-]{32,36}$/), proxy.keys[0]])
      const rejection = {
        code: 1,
        output: expect.stringMatching(/^Refused.*max_verifications_reached/),
      }
      expect(await run('verify', {}, proof)).toMatchObject(rejection)
    })

    hashingTest('the program for verify reports the invalid field of a proof', async () => {
      expect(await run('verify', {}, '{"action":"vote"}')).toMatchObject({
        code: 1,
        output: expect.stringMatching(
          /^Refused.*validation_error.*(nullifier_hash|proof|merkle_root)/,
        ),
      })
    })

    test.concurrent('the program for precheck reads an action and whether a person may verify', async () => {
      const proxy = await openProxy()
      const surveyRequest = { ACTION: 'survey', BASE_URL: proxy.url }
      const foundReport = (word: string) => ({
        code: 0,
        output: expect.stringMatching(`^Found.*App.*\\b${word}\\b`),
      })
      expect(await run('precheck', surveyRequest)).toMatchObject(foundReport('undetermined'))
      expect(proxy.keys).toHaveLength(2)
      const nullifierRequest = { ACTION: 'survey', NULLIFIER_HASH: '0x1' }
      expect(await run('precheck', nullifierRequest)).toMatchObject(foundReport('no'))
      expect(await run('precheck', { ...nullifierRequest, NULLIFIER_HASH: '0x99' })).toMatchObject(
        foundReport('yes'),
      )
    })

    test.concurrent('the program for precheck reports a missing action', async () => {
      const rejection = { code: 1, output: expect.stringMatching(/^Refused.*not_found/) }
      expect(await run('precheck', { ACTION: 'nothing' })).toMatchObject(rejection)
    })

    test.concurrent('the program for sign-in signs a person in with a code that works once', async () => {
      const callback = await signInToCallback(signIn, client)
      expect(await run('sign-in', callback)).toMatchObject({
        code: 0,
        output: expect.stringMatching(/^Signed in.*0x[0-9a-f]{64}/),
      })
      const rejection = { code: 1, output: expect.stringMatching(/^Refused.*invalid_grant/) }
      expect(await run('sign-in', callback)).toMatchObject(rejection)
    })

    test.concurrent('the program for sign-in refuses a cancelled sign-in and a callback of another session', async () => {
      const { url, session } = beginSignIn(signIn, client)
      const cancelled = await new Visitor(signIn.url).cancel(url)
      const callback = { ...session, CALLBACK_URL: cancelled.headers.get('location') ?? '' }
      expect(await run('sign-in', callback)).toEqual({
        code: 1,
        output: expect.stringMatching(/^Refused:.*access_denied.*\n$/),
      })
      for (const query of ['code=x&state=y', 'code=x', 'error=access_denied&state=y'])
        expect(await run('sign-in', { ...session, CALLBACK_URL: `${CALLBACK}?${query}` })).toEqual({
          code: 1,
          output: expect.stringMatching(/^Refused: .*\n$/),
        })
    })

    test.concurrent('the program for graphql counts verifications', async () => {
      const proxy = await openProxy()
      expect(await run('graphql', { ACTION: 'survey', BASE_URL: proxy.url })).toMatchObject({
        code: 0,
        output: expect.stringMatching(/Yearly survey.*\b3\b/),
      })
      expect(proxy.keys).toHaveLength(2)
    })

    test.concurrent('the program for graphql reports an unknown key', async () => {
      const rejection = { code: 1, output: expect.stringMatching(/^Refused.*access-denied/) }
      expect(await run('graphql', { API_KEY: 'api_x' })).toMatchObject(rejection)
    })

    test.concurrent('the program for payments enters a payment once and reads its status', async () => {
      const proxy = await openProxy()
      const payment = paymentFor(`order-${language}`, await shop.pay())
      const statusReport = (status: string) => ({
        code: 0,
        output: expect.stringContaining(status),
      })
      const result = await run('payments', { ...payment, BASE_URL: proxy.url })
      expect(result).toMatchObject(statusReport('pending'))
      expect(proxy.keys).toEqual([...Array(2).fill(`"payment order-${language}"`), undefined])
      await shop.mine(1)
      await shop.refresh()
      expect(await run('payments', payment)).toMatchObject(statusReport('mined'))
    })

    test.concurrent('the program for payments reports a chain that is not configured', async () => {
      const payment = { ...paymentFor(`wrong-${language}`, hash()), CHAIN: 'nowhere' }
      const rejection = { code: 1, output: expect.stringMatching(/^Refused.*permission-error/) }
      expect(await run('payments', payment)).toMatchObject(rejection)
    })
  })
})

describe.skipIf(!LANGUAGES.sh.isHere)('an OpenSSL without Keccak-256', () => {
  const run = (call: string, env: Record<string, string>, input?: string) =>
    runProgram('sh', call, {
      env: { PATH: pathWithoutKeccak(folder), ...env },
      ...(input && { input }),
    })

  test('is enough for the curl programs with an empty signal', async () => {
    expect(await run('signal-hash', { SIGNAL: '' })).toEqual({ code: 0, output: `${hashOf('')}\n` })
    const person = { app: shop.app, action: 'vote', root: ROOT, nullifier: 21n }
    const proof = JSON.stringify(await forgeRequest(person))
    const verified = { code: 0, output: expect.stringMatching(/^Verified/) }
    expect(await run('verify', {}, proof)).toMatchObject(verified)
  })

  test('makes the curl programs name the needed version for any other signal', async () => {
    for (const call of ['signal-hash', 'verify'])
      expect(await run(call, { SIGNAL: 'vote for 7' }, '{}')).toEqual({
        code: 1,
        output: 'This OpenSSL has no Keccak-256: version 3.2 or newer is needed.\n',
      })
  })
})

function hashOf(signal: string): string {
  return formatField(hashToField(signal))
}

type Input = { env: Record<string, string>; input?: string }

function runProgram(language: Language, call: string, { env, input = '' }: Input) {
  const file = join(folder, `${language}-${call}`)
  return runToEnd(LANGUAGES[language].command(file), { env: { ...environment, ...env }, input })
}

/** Creates the action `vote` for the programs. Also creates the action `survey`, for which three people have verified. */
async function makeActions() {
  await shop.platform.action(shop.app)
  const id = await shop.platform.action(shop.app, { action: 'survey' })
  await shop.platform.db.query("update action set name = 'Yearly survey' where id = $1", [id])
  for (const number of [1, 2, 3])
    await shop.platform.db.query(
      'insert into nullifier (action_id, nullifier_hash, uses) values ($1, $2, 1)',
      [id, `0x${String(number).padStart(64, '0')}`],
    )
}

/** Starts a proxy to the developer API that rejects the first request with 429. */
async function openProxy() {
  const proxy = await startBusyProxy(shop.platform.baseUrl)
  proxies.push(proxy)
  return proxy
}

function paymentFor(reference: string, transaction: string) {
  return {
    REFERENCE: reference,
    TRANSACTION_HASH: transaction,
    CHAIN: 'local',
    TOKEN: 'USDCE',
    TOKEN_AMOUNT: '1000000',
    RECEIVER: SHOP,
    BUYER,
  }
}
