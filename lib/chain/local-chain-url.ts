import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

const DEFAULT_URL = 'http://127.0.0.1:8545'

/** The part of platform.json that is read here. */
const Facts = z.object({ rpcUrl: z.string() })

/**
 * Returns the URL of the local chain of `npm start`. The platform may use other ports, so it writes the URL to
 * `platform.json` in the data folder. Without that file, returns the default URL.
 */
export function localChainUrl(dataFolder: string): string {
  const file = join(dataFolder, 'platform.json')
  if (!existsSync(file)) return DEFAULT_URL
  return Facts.parse(JSON.parse(readFileSync(file, 'utf8'))).rpcUrl
}
