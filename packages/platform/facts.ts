import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { formatCommandLine } from '../../local/process/format-command-line.ts'
import { isFolderLocked } from '../../local/process/lock-folder.ts'

const Address = z.templateLiteral(['0x', z.string()])

/** The addresses and secrets of the running platform. */
export const Facts = z.object({
  /** The developer API. */
  baseUrl: z.string(),
  /** The sign-in server, the demo website that uses it, and the wallet of simulated people. */
  authUrl: z.string(),
  demoUrl: z.string(),
  simulatorUrl: z.string(),
  hasura: z.object({
    endpoint: z.string(),
    adminSecret: z.string(),
    /** Null if the console is off. */
    consoleUrl: z.string().nullable(),
  }),
  rpcUrl: z.string(),
  /** The local chain's token contracts. */
  tokens: z.object({ usdce: Address, wld: Address }),
  /** The local chain's verifier contracts of protocol 4.0. The one for staging accepts simulated people. */
  verifiers: z.object({ production: Address, staging: Address }),
  /** The page with the mail that the platform has sent. */
  mailUrl: z.string(),
  databaseUrl: z.string(),
  /** The data folder of the embedded PostgreSQL; null for another database. */
  databaseFolder: z.string().nullable(),
  /** The demo team's staging app, with the actions vote (once per person), claim (twice) and check-in (no limit). */
  appId: z.string(),
  /** The API keys of the demo team and of the other team. */
  apiKey: z.string(),
  otherApiKey: z.string(),
  /** The secret of the demo team's staging app at the sign-in server. */
  clientSecret: z.string(),
})

export type Facts = z.infer<typeof Facts>

/**
 * Writes the facts into the data folder for other programs of this user. While a platform runs in the folder, this file says that
 * the platform is ready.
 */
export function writeFacts(folder: string, facts: Facts): void {
  writeFileSync(factsFile(folder), JSON.stringify(facts, null, 2), { mode: 0o600 })
}

/** Removes the facts of an earlier run, when a platform starts in the folder. */
export function removeFacts(folder: string): void {
  rmSync(factsFile(folder), { force: true })
}

/**
 * Reads the facts that the last start wrote into a data folder.
 *
 * @throws Error with a message for the terminal, if no platform has been ready there
 */
export function readFacts(folder: string): Facts {
  const file = factsFile(folder)
  if (!existsSync(file)) throw notRunning(folder)
  return Facts.parse(JSON.parse(readFileSync(file, 'utf8')))
}

/**
 * Reads the facts of the platform that runs in a data folder. Waits while the platform starts.
 *
 * @param onWait called once if the platform is still starting
 * @throws Error with a message for the terminal, if no platform runs there
 */
export async function waitForFacts(folder: string, onWait: () => void): Promise<Facts> {
  for (let isWaiting = false; await isFolderLocked(folder); isWaiting = true) {
    if (existsSync(factsFile(folder))) return readFacts(folder)
    if (!isWaiting) onWait()
    await sleep(200)
  }
  throw notRunning(folder)
}

function notRunning(folder: string): Error {
  return new Error(
    `The platform is not running in ${folder}. Start it with ${formatCommandLine('start')}.`,
  )
}

function factsFile(folder: string): string {
  return join(folder, 'platform.json')
}
