import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'
import type { VerificationLevel } from '../../../lib/proof/verification-level.ts'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'
import { VerificationRequest } from '../../../local/simulator/verification-request.ts'
import type { Facts } from '../facts.ts'
import { isolatedSettings } from '../settings/isolated-settings.ts'
import { startParts } from '../start-parts.ts'

/** How a platform for tests differs from the default. */
export type PlatformOptions = {
  /**
   * The folder of its data, which stays, so that a later start goes on with it. By default a temporary one, which `close`
   * removes.
   */
  data?: string
  /**
   * How long the start may take before it fails, in milliseconds; 120,000 by default, at most 2,147,483,647. It takes some seconds.
   * What is under way by then has five seconds more.
   */
  timeoutMs?: number
}

/** What a simulated person proves. */
export type Purpose = {
  /** The id of a staging app: production apps accept no simulated people. */
  app: string
  /** The action's identifier, such as `vote`. */
  action: string
  /** Any text: the same text is the same person. `person-0` by default. */
  identity?: string
  /** The text that the proof is bound to, empty by default; `0x` and hex digits stand for bytes. */
  signal?: string
  /** How the person was verified; `orb` by default. */
  level?: VerificationLevel
}

/** A platform that runs: the members of the file `platform.json` in the data folder, and what a test does with it. */
export type TestPlatform = Facts & {
  /**
   * Makes a proof of a simulated person, which takes about a second.
   *
   * @returns what a widget hands to an app: the body for `POST {baseUrl}/api/v2/verify/{app}`
   * @throws Error with a sentence that says why there is no proof
   */
  prove(purpose: Purpose): Promise<VerificationRequest>
  /** Ends all of it, once also where it is called several times, and removes its data if the folder is a temporary one. */
  close(): Promise<void>
}

/**
 * Starts the whole platform for tests: database, GraphQL, chain, mail, APIs and simulator, on free ports and without limits
 * on the rate of requests. Any number of them run side by side. All of it ends with this process, however that ends.
 *
 * When a part ends by itself before `close`, no test is worth anything any more: an error that names it is thrown as an uncaught
 * exception, which ends this process or, in a test runner, fails the run.
 *
 * @throws RangeError for a `timeoutMs` that is out of bounds
 * @throws Error with a sentence that says what did not start and why
 */
export async function startPlatform({
  data,
  timeoutMs = 120_000,
}: PlatformOptions = {}): Promise<TestPlatform> {
  if (!(timeoutMs >= 1 && timeoutMs <= MAX_TIMEOUT_MS))
    throw new RangeError(
      `timeoutMs is from 1 to ${MAX_TIMEOUT_MS} milliseconds, unlike ${timeoutMs}.`,
    )
  const folder = data === undefined ? temporaryFolder('personhood-platform-') : resolve(data)
  const remove = () => {
    if (data === undefined) rmSync(folder, { recursive: true, force: true })
  }
  const late = new AbortController()
  const tooLate = new Error(`The platform did not start within ${timeoutMs / 1_000} s.`)
  const timer = setTimeout(() => late.abort(tooLate), timeoutMs)
  try {
    const run = { onEnd: throwEnd, signal: late.signal }
    const { facts, stop } = await startParts(await isolatedSettings(folder), run)
    let closing: Promise<void> | undefined
    return {
      ...facts,
      prove: (purpose) => askForProof(facts.simulatorUrl, purpose),
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

/** A timer of Node's that is longer ends at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

/** Thrown where nobody can catch it. */
function throwEnd(end: Error): never {
  throw end
}

async function askForProof(
  simulatorUrl: string,
  { app, ...purpose }: Purpose,
): Promise<VerificationRequest> {
  const response = await fetch(`${simulatorUrl}/prove`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ app_id: app, ...purpose }),
  })
  if (!response.ok) {
    const { detail } = Refusal.parse(await response.json())
    throw new Error(`There is no proof: ${detail}`)
  }
  return VerificationRequest.parse(await response.json())
}

const Refusal = z.object({ detail: z.string() })
