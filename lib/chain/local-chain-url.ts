import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

const DEFAULT_URL = 'http://127.0.0.1:8545'

/** The one fact that is needed of those in platform.json. */
const Facts = z.object({ rpcUrl: z.string() })

/**
 * Where the local chain of `npm start` is: what `platform.json` in its data folder says, so that commands follow a
 * platform on other ports; else the default address.
 */
export function localChainUrl(dataFolder: string): string {
  const file = join(dataFolder, 'platform.json')
  if (!existsSync(file)) return DEFAULT_URL
  return Facts.parse(JSON.parse(readFileSync(file, 'utf8'))).rpcUrl
}
