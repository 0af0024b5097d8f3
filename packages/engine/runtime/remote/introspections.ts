import { parseExactJson } from '../../../../lib/runtime/exact-json.ts'
import { Inconsistent } from '../../compiler/model/inconsistency.ts'
import {
  INTROSPECTION_QUERY,
  readIntrospection,
} from '../../compiler/model/remote/introspected-types.ts'
import type { IntrospectedSchemas } from '../../compiler/model/remote/remote-schemas.ts'
import type { RemoteTypes } from '../../compiler/model/remote-types.ts'
import type { Config } from '../../config/config.ts'
import { EngineError } from '../../errors.ts'
import type { Metadata } from '../../metadata/metadata.ts'
import type { RemoteSchemaMetadata } from '../../metadata/remote-schemas.ts'
import { ADMIN } from '../../session/session.ts'
import { ROLE_VARIABLE } from '../../session/session-variables.ts'
import { addressOf, sendToRemoteSchema } from './ask-remote-schema.ts'

/** The introspection results of remote servers. A server is introspected once per definition, until its result is forgotten. */
export type Introspections = {
  /** Introspects, in parallel, the metadata's servers that have no result yet. */
  read(metadata: Metadata): Promise<IntrospectedSchemas>
  /** Returns the result of the last `read`. */
  latest(): IntrospectedSchemas
  /** Forgets the results of the named remote schemas, or of all, so that the next `read` introspects their servers again. */
  forget(names: readonly string[] | 'all'): void
}

/** Creates an empty collection of introspection results. */
export function createIntrospections(config: Config): Introspections {
  const results = new Map<string, { definition: string; types: RemoteTypes | Inconsistent }>()
  let last: IntrospectedSchemas = new Map()

  async function readOne(schema: RemoteSchemaMetadata) {
    const definition = JSON.stringify(schema.definition)
    const cached = results.get(schema.name)
    if (cached?.definition === definition) return [schema.name, cached.types] as const
    const types = await introspect(schema, config).catch((thrown: unknown) => {
      if (thrown instanceof Inconsistent) return thrown
      throw thrown
    })
    results.set(schema.name, { definition, types })
    return [schema.name, types] as const
  }

  return {
    async read({ remote_schemas }) {
      last = new Map(await Promise.all(remote_schemas.map(readOne)))
      for (const name of results.keys()) if (!last.has(name)) results.delete(name)
      return last
    },
    latest: () => last,
    forget(names) {
      if (names === 'all') results.clear()
      else for (const name of names) results.delete(name)
    },
  }
}

async function introspect(schema: RemoteSchemaMetadata, config: Config): Promise<RemoteTypes> {
  return readIntrospection(parseJson(await introspectionText(schema, config)))
}

/**
 * Sends the introspection query to a server, and returns the text of its response.
 *
 * @throws Inconsistent if the server does not respond with status 200
 */
export async function introspectionText(
  { definition }: Pick<RemoteSchemaMetadata, 'definition'>,
  { environment }: Pick<Config, 'environment'>,
): Promise<string> {
  const request = { query: INTROSPECTION_QUERY, operationName: 'IntrospectionQuery' }
  const caller = { variables: [[ROLE_VARIABLE, ADMIN]] as const, headers: {} }
  const reply = await sendToRemoteSchema(definition, request, caller, environment).catch(
    (cause: unknown) => {
      throw new Inconsistent(
        unreachable(cause, () => addressOf(definition, environment)),
        {
          cause,
        },
      )
    },
  )
  if (reply.status === 200) return reply.text
  throw new Inconsistent(
    `introspection query to ${addressOf(definition, environment)} has responded with ${reply.status}`,
  )
}

function unreachable(cause: unknown, address: () => string): string {
  if (cause instanceof EngineError) return cause.message
  return httpFailure(address())
}

/** Returns Hasura's message for a server that cannot be reached. */
export function httpFailure(address: string): string {
  return `HTTP exception occurred while sending the request to ${JSON.stringify(address)}`
}

function parseJson(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch (cause) {
    throw new Inconsistent('the response to the introspection query is not JSON', { cause })
  }
}
