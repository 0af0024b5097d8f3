import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'
import type { CredentialName } from '../../../lib/proof/protocol-4/credentials.ts'
import type { VerificationLevel } from '../../../lib/proof/verification-level.ts'
import { describeMistake, type MinedPayment, Payment, payTokens } from '../../../local/chain/pay.ts'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'
import { VerificationRequest4 } from '../../../local/simulator/protocol-4/prove-input.ts'
import { VerificationRequest } from '../../../local/simulator/verification-request.ts'
import type { Facts } from '../facts.ts'
import { isolatedSettings } from '../settings/isolated-settings.ts'
import { startParts } from '../start-parts.ts'
import { type SignInPurpose, type SignInResult, signInPerson } from './sign-in.ts'

/** The options of `startPlatform`. */
export type PlatformOptions = {
  /**
   * The folder for the data. `close` keeps it, and a later start can use it. The default is a temporary folder, which `close`
   * removes.
   */
  data?: string
  /**
   * How long the start may take, in ms: 120,000 by default, at most 2,147,483,647. A start takes some seconds. The current step
   * gets five seconds more.
   */
  timeoutMs?: number
}

/** The person and the action of a simulated proof. */
export type Purpose = {
  /** The protocol of the proof. `Purpose4` has the fields for protocol 4.0. */
  protocol?: '3.0'
  /** The id of a staging app: production apps accept no simulated people. */
  app: string
  /** The action's identifier, such as `vote`. */
  action: string
  /** The name of the person: any text, `person-0` by default. The same name always means the same person. */
  identity?: string
  /** The text that the proof is bound to, empty by default. `0x` and hexadecimal digits are bytes. */
  signal?: string
  /** The hash of the signal in hex, instead of `signal`. */
  signal_hash?: string
  /** The verification level of the person; `orb` by default. */
  level?: VerificationLevel
}

/** The person and the purpose of a simulated proof of protocol 4.0. Times are in seconds since the epoch. */
export type Purpose4 = Omit<Purpose, 'protocol' | 'action' | 'level'> & {
  protocol: '4.0'
  /** The action's identifier, for a uniqueness proof. */
  action?: string
  /** For a session proof, instead of `action`: `create`, or the `session_id` of an earlier proof of the same person. */
  session_id?: string
  /** The credential of the person; `proof_of_human` by default. */
  credential?: CredentialName
  /** The nonce of the request in hex; random by default. */
  nonce?: string
  /** The credential must be valid after this time; now by default. */
  expires_at_min?: number
  /** The credential must be issued at this time or later; 0 by default. */
  genesis_issued_at_min?: number
}

/** A running platform: the members of `platform.json` in the data folder, and methods for tests. */
export type TestPlatform = Facts & {
  /**
   * Makes a proof of a simulated person. Takes about a second.
   *
   * @returns the result of a widget: the body for `POST {baseUrl}/api/v2/verify/{app}`
   * @throws Error that says why the simulator made no proof
   */
  prove(purpose: Purpose): Promise<VerificationRequest>
  /**
   * Makes a proof of protocol 4.0 of a simulated person. Takes about a second.
   *
   * @returns the body for `POST {baseUrl}/api/v4/verify/{app}`
   * @throws Error that says why the simulator made no proof, for example that the person does not have the credential
   */
  prove(purpose: Purpose4): Promise<VerificationRequest4>
  /**
   * Signs a simulated person in to a website, as a browser and a wallet do. Takes about a second.
   *
   * @param url the website's page that starts the sign-in, or an address of the sign-in server: `{authUrl}/authorize?…`
   * @param identity the name of the person, as for `prove`; null for a person who cancels
   * @throws Error if `url` does not lead to the sign-in page, or if the sign-in server rejects the proof
   */
  signIn(url: string, identity?: string | null): Promise<SignInResult>
  /**
   * Pays tokens on the local chain, and waits until the payment is mined.
   *
   * @returns the payment, with the fields that `insert_transaction_one` takes
   * @throws Error that names the wrong field
   */
  pay(payment: z.input<typeof Payment>): Promise<MinedPayment>
  /** Stops all parts, and removes the data if the folder is temporary. Further calls wait for the first. */
  close(): Promise<void>
}

/**
 * Starts the whole platform for tests: database, GraphQL, chain, mail, APIs and simulator, on free ports and without rate limits.
 * Several platforms can run at the same time. All parts end with this process, even if it is killed.
 *
 * If a part ends unexpectedly before `close`, test results are no longer reliable. So an exception that no caller can catch is
 * thrown, and names the part. It ends this process or, in a test runner, fails the run.
 *
 * @throws TypeError for an unknown option
 * @throws RangeError if `timeoutMs` is out of range
 * @throws Error that says which part did not start and why
 */
export async function startPlatform({
  data,
  timeoutMs = 120_000,
  ...unknown
}: PlatformOptions = {}): Promise<TestPlatform> {
  const [mistake] = Object.keys(unknown)
  if (mistake !== undefined)
    throw new TypeError(`startPlatform has the options data and timeoutMs; got ${mistake}.`)
  if (!(timeoutMs >= 1 && timeoutMs <= MAX_TIMEOUT_MS))
    throw new RangeError(`timeoutMs must be 1 to ${MAX_TIMEOUT_MS}; got ${timeoutMs}.`)
  const folder = data === undefined ? temporaryFolder('personhood-platform-') : resolve(data)
  const remove = () => {
    if (data === undefined) rmSync(folder, { recursive: true, force: true })
  }
  const deadline = new AbortController()
  const timeoutError = new Error(`The platform did not start within ${timeoutMs / 1_000} s.`)
  const timer = setTimeout(() => deadline.abort(timeoutError), timeoutMs)
  try {
    const run = { onEnd: throwUncaught, signal: deadline.signal }
    const { facts, stop } = await startParts(await isolatedSettings(folder), run)
    let closing: Promise<void> | undefined
    return {
      ...facts,
      prove: createProve(facts.simulatorUrl),
      signIn: (url, identity = 'person-0') => signIn(facts, url, identity),
      pay: (payment) => pay(facts.rpcUrl, payment),
      close() {
        closing ??= stop().finally(remove)
        return closing
      },
    }
  } catch (error) {
    remove()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** The longest timeout of Node's timers. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

/** Throws an error that no caller can catch, so that the program or the test run fails. */
function throwUncaught(end: Error): never {
  throw end
}

function signIn({ authUrl, simulatorUrl }: Facts, url: string, identity: string | null) {
  const prove = ({ app_id: app, signal_hash }: SignInPurpose) =>
    createProve(simulatorUrl)({ app, action: '', identity: identity ?? '', signal_hash })
  return signInPerson(url, { authUrl, prove: identity === null ? null : prove })
}

async function pay(rpcUrl: string, payment: z.input<typeof Payment>): Promise<MinedPayment> {
  const { data, error } = Payment.safeParse(payment)
  if (error) throw new Error(`${describeMistake(error)}.`)
  return payTokens(rpcUrl, data)
}

function createProve(simulatorUrl: string): TestPlatform['prove'] {
  function prove(purpose: Purpose): Promise<VerificationRequest>
  function prove(purpose: Purpose4): Promise<VerificationRequest4>
  async function prove(purpose: Purpose | Purpose4) {
    const proof = await requestProof(simulatorUrl, purpose)
    return 'protocol' in purpose && purpose.protocol === '4.0'
      ? VerificationRequest4.parse(proof)
      : VerificationRequest.parse(proof)
  }
  return prove
}

async function requestProof(
  simulatorUrl: string,
  { app, ...purpose }: Purpose | Purpose4,
): Promise<unknown> {
  const response = await fetch(`${simulatorUrl}/prove`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ app_id: app, ...purpose }),
  })
  if (!response.ok) {
    const { detail } = Failure.parse(await response.json())
    throw new Error(`The simulator made no proof: ${detail}`)
  }
  return response.json()
}

const Failure = z.object({ detail: z.string() })
