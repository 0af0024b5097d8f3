import { join } from 'node:path'
import { freePort } from '../../local/process/free-port.ts'
import { readFacts } from '../../packages/platform/facts.ts'
import { nameOfPort } from '../../packages/platform/settings/port-option.ts'
import { readSettings } from '../../packages/platform/settings/settings.ts'
import { startServer } from './running-server.ts'
import { handOver, makePlace, type Stranger } from './stranger.ts'

/**
 * Starts the platform by npx in an empty folder, where a person verifies once and is refused the second time.
 *
 * @returns what it took, in words
 * @throws Error with what went wrong
 */
export async function runPlatformAsStranger(stranger: Stranger, tarball: string): Promise<string> {
  const place = makePlace(stranger, 'platform')
  handOver(place)
  const npx = ['--yes', '--package', tarball, 'personhood-platform']
  const platform = await startServer(place, [...npx, '--ports', await freePorts()])
  try {
    const { baseUrl, simulatorUrl, appId } = readFacts(join(place.cwd, '.data'))
    const person = { app_id: appId, action: 'vote', identity: 'ada' }
    const proof = await platform.ask(`${simulatorUrl}/prove`, person)
    const path = `${baseUrl}/api/v2/verify/${appId}`
    const first = await platform.ask(path, proof)
    const second = await platform.ask(path, proof)
    if (first.success !== true || second.code !== 'max_verifications_reached')
      throw new Error(`answered ${JSON.stringify([first, second])}`)
  } finally {
    await platform.stop()
  }
  return `installed and ready in ${platform.readyAfterSeconds} s`
}

async function freePorts(): Promise<string> {
  const names = Object.keys(readSettings({}).ports).map(nameOfPort)
  const ports = await Promise.all(names.map(async (name) => `${name}=${await freePort()}`))
  return ports.join()
}
