import { Environment, SignInEnvironment } from '../../../lib/runtime/config.ts'
import { freePort } from '../../../local/process/free-port.ts'
import { readSettings, type Settings } from './settings.ts'

/**
 * Very high rate limits, because all requests come from one IP address. Requests are still counted, so measurements include the
 * counting.
 */
const NO_LIMITS = Object.fromEntries(
  [...Object.keys(Environment.shape), ...Object.keys(SignInEnvironment.shape)]
    .filter((name) => name.startsWith('RATE_LIMIT_'))
    .map((name) => [name, '1000000000/60']),
)

/** Returns settings with free ports that ignore the environment, so that several platforms can run on this machine. */
export async function isolatedSettings(folder: string): Promise<Settings> {
  const names = Object.keys(readSettings({}).ports)
  const ports = await Promise.all(names.map(async (name) => [name, String(await freePort())]))
  const settings = readSettings({ ...Object.fromEntries(ports), DATA_FOLDER: folder })
  return { ...settings, rateLimits: NO_LIMITS }
}
