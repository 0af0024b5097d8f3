import { rmSync } from 'node:fs'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'
import type { Facts } from '../facts.ts'
import { isolatedSettings } from '../settings/isolated-settings.ts'
import { readSettings, type Settings } from '../settings/settings.ts'
import { type PlatformSettings, startParts } from '../start-parts.ts'

export type ThrowawayPlatform = {
  facts: Facts
  folder: string
  /** The developer API's metrics. */
  metricsUrl: string
  stop(): Promise<void>
}

/** A running Hasura with its database, and the port at which it calls the developer API. */
export type HasuraSettings = Pick<Settings, 'hasura' | 'databaseUrl'> & {
  webhooksPort: number | null
}

/** The Hasura to use with its database, or the database that the embedded engine uses. */
type ThrowawayOptions = HasuraSettings & Pick<PlatformSettings, 'database'>

const EMBEDDED: HasuraSettings = { hasura: null, databaseUrl: null, webhooksPort: null }

/**
 * Reads the Hasura, if any, from the same environment variables as `npm start`.
 *
 * @throws ConfigError
 */
export function readGivenHasura(env: NodeJS.ProcessEnv): HasuraSettings {
  const { hasura, databaseUrl, ports } = readSettings(env)
  if (!hasura) return EMBEDDED
  return { hasura, databaseUrl, webhooksPort: ports.WEBHOOKS_PORT }
}

/**
 * Starts a platform on free ports with a temporary folder, for measurements. `stop` removes all data except the data in the
 * database of an outside Hasura.
 */
export async function startThrowawayPlatform(
  onEnd: (end: Error) => void = failMeasurement,
  { hasura, databaseUrl, webhooksPort, database }: ThrowawayOptions = EMBEDDED,
): Promise<ThrowawayPlatform> {
  const folder = temporaryFolder('platform-')
  const settings = await isolatedSettings(folder)
  const { ports } = settings
  if (webhooksPort !== null) ports.WEBHOOKS_PORT = webhooksPort
  const platform = await startParts({ ...settings, databaseUrl, database, hasura }, { onEnd })
  return {
    facts: platform.facts,
    folder,
    metricsUrl: `http://127.0.0.1:${ports.METRICS_PORT}/metrics`,
    async stop() {
      await platform.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Fails the measurement if a part ends unexpectedly. */
function failMeasurement(end: Error): never {
  throw end
}
