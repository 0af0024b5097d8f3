import { Environment, SignInEnvironment } from '../../../lib/runtime/config.ts'
import { freePort } from '../../../local/process/free-port.ts'
import { readSettings, type Settings } from './settings.ts'

/** High limits rather than none: all load comes from one address, and counting is part of what is tested and measured. */
const NO_LIMITS = Object.fromEntries(
  [...Object.keys(Environment.shape), ...Object.keys(SignInEnvironment.shape)]
    .filter((name) => name.startsWith('RATE_LIMIT_'))
    .map((name) => [name, '1000000000/60']),
)

/** The settings of a platform that shares nothing with others on this machine: with free ports, whatever the environment. */
export async function isolatedSettings(folder: string): Promise<Settings> {
  const names = Object.keys(readSettings({}).ports)
  const ports = await Promise.all(names.map(async (name) => [name, String(await freePort())]))
  const settings = readSettings({ ...Object.fromEntries(ports), DATA_FOLDER: folder })
  return { ...settings, rateLimits: NO_LIMITS }
}
