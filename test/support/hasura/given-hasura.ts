import { inject } from 'vitest'
import { z } from 'zod'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { readMetadataDocument } from '../../../packages/engine/metadata/folder/read-metadata-folder.ts'
import {
  askEngine,
  type RunningEngine,
} from '../../../packages/engine/test/support/start-engine.ts'

/** The Hasura that `npm run test:hasura` tests. */
export type GivenHasura = {
  url: string
  adminSecret: string
  /** The address of Hasura's auth hook: the tests' developer API must listen at this port. */
  hook: { port: number; host: string; origin: string }
}

/** True if the tests start their own engines and may stop them; false in `npm run test:hasura`. */
export const ownsEngine = inject('hasura') === undefined

/**
 * Returns the Hasura of `npm run test:hasura`, or null in `npm test`.
 *
 * @throws Error that names the required variables, if one of them is missing
 */
export function givenHasura(): GivenHasura | null {
  const hasura = inject('hasura')
  if (!hasura) return null
  const { HASURA_GRAPHQL_AUTH_HOOK: hook = '' } = hasura.environment
  if (!URL.canParse(hook) || !inject('postgresUrl'))
    throw new Error(
      'The tests of the platform need DATABASE_URL and HASURA_GRAPHQL_AUTH_HOOK (test/README.md).',
    )
  const { port, hostname, origin } = new URL(hook)
  // If Hasura does not call localhost, its requests come from outside, so the developer API must listen at all addresses.
  const host = /^(127\.|localhost$)/.test(hostname) ? '127.0.0.1' : '0.0.0.0'
  return { ...hasura, hook: { port: Number(port), host, origin } }
}

type Addresses = {
  /** The address of the test's database, from this machine. */
  databaseUrl: string
  /** The URL that actions, schedules and event triggers call. */
  webhooksUrl: string
  internalAuthorization: string
}

/** Makes Hasura serve `hasura/metadata` on a test's database; `stop` removes the metadata. */
export async function serveFolderOnGiven(
  hasura: GivenHasura,
  addresses: Addresses,
): Promise<RunningEngine> {
  const engine = runningHasura(hasura)
  const metadata = addressedMetadata(await readMetadataDocument('hasura/metadata'), addresses)
  await replaceAll(engine, metadata)
  return engine
}

/** Wraps the configured Hasura as a running engine. `stop` only removes the tests' metadata. */
export function runningHasura({ url, adminSecret }: GivenHasura): RunningEngine {
  const engine: RunningEngine = {
    ...askEngine(url, adminSecret),
    pid: 0,
    output: () => '',
    async stop() {
      await replaceAll(engine, { version: 3, sources: [ownSource()] })
      return 0
    },
  }
  return engine
}

/** The source that Hasura starts with: its own database, without tracked tables. */
function ownSource(): object {
  const database_url = { from_env: 'HASURA_GRAPHQL_DATABASE_URL' }
  const configuration = { connection_info: { database_url } }
  return { name: 'default', kind: 'postgres', tables: [], configuration }
}

/**
 * Replaces the metadata.
 *
 * @throws Error if Hasura rejects the metadata
 */
export async function replaceAll(
  { post }: Pick<RunningEngine, 'post'>,
  metadata: object,
): Promise<void> {
  const command = { type: 'replace_metadata', version: 2, args: { metadata } }
  const { status, text } = await post('/v1/metadata', command)
  if (status !== 200) throw new Error(`replace_metadata: ${status} ${text}`)
}

const WithSource = z.looseObject({ sources: z.tuple([z.looseObject({})]) })

/** Replaces the variables in the metadata of the folder by addresses and the secret. */
function addressedMetadata(
  folder: unknown,
  { databaseUrl, webhooksUrl, internalAuthorization }: Addresses,
): object {
  const text = JSON.stringify(folder)
    .replaceAll('{{WEBHOOKS_URL}}', webhooksUrl)
    .replaceAll(
      '"value_from_env":"INTERNAL_AUTHORIZATION"',
      `"value":${JSON.stringify(internalAuthorization)}`,
    )
  const { sources, ...rest } = WithSource.parse(JSON.parse(text))
  return { ...rest, sources: sources.map((source) => onDatabase(source, databaseUrl)) }
}

const WithConnection = z.looseObject({
  configuration: z.looseObject({ connection_info: z.looseObject({}) }),
})

function onDatabase(source: unknown, databaseUrl: string): object {
  const { configuration, ...rest } = WithConnection.parse(source)
  const { connection_info } = configuration
  const database_url = asHasuraReaches(databaseUrl)
  return {
    ...rest,
    configuration: { ...configuration, connection_info: { ...connection_info, database_url } },
  }
}

/**
 * Returns the URL by which Hasura reaches a test's database. Takes the host and port of HASURA_GRAPHQL_DATABASE_URL, if that
 * variable is set.
 */
export function asHasuraReaches(databaseUrl: string): string {
  const { HASURA_GRAPHQL_DATABASE_URL: hasuraDatabase } = requireValue(
    inject('hasura'),
    'the Hasura',
  ).environment
  if (!hasuraDatabase) return databaseUrl
  const { hostname, port } = new URL(hasuraDatabase)
  return Object.assign(new URL(databaseUrl), { hostname, port }).href
}
