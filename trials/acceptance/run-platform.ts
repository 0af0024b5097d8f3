import { join } from 'node:path'
import { freePort } from '../../local/process/free-port.ts'
import { readFacts } from '../../packages/platform/facts.ts'
import { nameOfPort } from '../../packages/platform/settings/port-option.ts'
import { readSettings } from '../../packages/platform/settings/settings.ts'
import { chownHome, type NewUser, withInstallation } from './new-user.ts'
import { type Installation, startServer } from './running-server.ts'

/**
 * Starts the platform by npx in an empty folder. Sends a person's proof twice: the first must succeed, the second must be
 * rejected.
 *
 * @returns a sentence with the seconds that the platform took to start
 * @throws Error with the unexpected responses, or with the output of the platform
 */
export function runPlatformAsNewUser(user: NewUser, tarball: string): Promise<string> {
  return withInstallation(user, 'platform', (installation) =>
    verifyPersonTwice(installation, tarball),
  )
}

async function verifyPersonTwice(installation: Installation, tarball: string): Promise<string> {
  chownHome(installation)
  const npx = ['--yes', '--package', tarball, 'personhood-platform']
  const platform = await startServer(installation, [...npx, '--ports', await freePorts()])
  try {
    const { baseUrl, simulatorUrl, appId } = readFacts(join(installation.cwd, '.data'))
    const person = { app_id: appId, action: 'vote', identity: 'ada' }
    const proof = await platform.post(`${simulatorUrl}/prove`, person)
    const path = `${baseUrl}/api/v2/verify/${appId}`
    const first = await platform.post(path, proof)
    const second = await platform.post(path, proof)
    if (first.success !== true || second.code !== 'max_verifications_reached')
      throw new Error(`unexpected verifications: ${JSON.stringify([first, second])}`)
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
