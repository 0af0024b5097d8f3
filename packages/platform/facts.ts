import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { ownCommand } from '../../local/process/own-command.ts'

const Address = z.templateLiteral(['0x', z.string()])

/** What a person or a program needs to use the running platform. */
export const Facts = z.object({
  /** The developer API. */
  baseUrl: z.string(),
  /** The sign-in server, the demo website that signs people in with it, and the wallet of simulated people. */
  authUrl: z.string(),
  demoUrl: z.string(),
  simulatorUrl: z.string(),
  hasura: z.object({
    endpoint: z.string(),
    adminSecret: z.string(),
    /** Null where the console is switched off. */
    consoleUrl: z.string().nullable(),
  }),
  rpcUrl: z.string(),
  /** The local chain's token contracts. */
  tokens: z.object({ usdce: Address, wld: Address }),
  /** The page that shows the mail that the platform sends. */
  mailUrl: z.string(),
  databaseUrl: z.string(),
  /** Where the embedded PostgreSQL keeps its data; null for a database of yours. */
  databaseFolder: z.string().nullable(),
  /** The demo team's staging app. Its actions: vote (once for each person), claim (twice), check-in (without a limit). */
  appId: z.string(),
  /** The API keys of the demo team and of the other team. */
  apiKey: z.string(),
  otherApiKey: z.string(),
  /** The secret of the demo team's staging app at the sign-in server. */
  clientSecret: z.string(),
})

export type Facts = z.infer<typeof Facts>

/** Writes the facts into the data folder, for programs that are started later; only this user can read them. */
export function writeFacts(folder: string, facts: Facts): void {
  writeFileSync(factsFile(folder), JSON.stringify(facts, null, 2), { mode: 0o600 })
}

/**
 * Reads what the platform of a data folder wrote when it was last started.
 *
 * @throws Error with a sentence for the person at the terminal, when it was never started
 */
export function readFacts(folder: string): Facts {
  const file = factsFile(folder)
  if (!existsSync(file))
    throw new Error(`The platform is not running here: start it with ${ownCommand('start')}.`)
  return Facts.parse(JSON.parse(readFileSync(file, 'utf8')))
}

function factsFile(folder: string): string {
  return join(folder, 'platform.json')
}
