import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

const DEFAULT_URL = 'http://127.0.0.1:8545'

/** The needed part of platform.json. */
const Facts = z.object({ rpcUrl: z.string() })

/**
 * Returns the URL of the local chain of `npm start`: the URL in `platform.json` of the data folder, since the platform may
 * use other ports, or else the default.
 */
export function localChainUrl(dataFolder: string): string {
  const file = join(dataFolder, 'platform.json')
  if (!existsSync(file)) return DEFAULT_URL
  return Facts.parse(JSON.parse(readFileSync(file, 'utf8'))).rpcUrl
}
