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

/** A Hasura that runs already, with its database, and the port at which it expects the developer API. */
export type GivenHasura = Pick<Settings, 'hasura' | 'databaseUrl'> & { webhooksPort: number | null }

/** Either may be given: a Hasura with its database, or a database for the embedded engine. */
type Given = GivenHasura & Pick<PlatformSettings, 'database'>

const EMBEDDED: GivenHasura = { hasura: null, databaseUrl: null, webhooksPort: null }

/**
 * The Hasura that the variables of `npm start` name, or none.
 *
 * @throws ConfigError
 */
export function readGivenHasura(env: NodeJS.ProcessEnv): GivenHasura {
  const { hasura, databaseUrl, ports } = readSettings(env)
  if (!hasura) return EMBEDDED
  return { hasura, databaseUrl, webhooksPort: ports.WEBHOOKS_PORT }
}

/**
 * A whole platform on free ports with a folder of its own, for measurements; `stop` removes all of it, but what is in the
 * database of a given Hasura.
 */
export async function startThrowawayPlatform(
  onEnd: (end: Error) => void = throwError,
  { hasura, databaseUrl, webhooksPort, database }: Given = EMBEDDED,
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

/** No measurement is worth anything once a part has ended by itself. */
function throwError(end: Error): never {
  throw end
}
