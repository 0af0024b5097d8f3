import { parseExactJson } from '../../../../lib/runtime/exact-json.ts'
import { Inconsistent } from '../../compiler/model/inconsistency.ts'
import {
  INTROSPECTION_QUERY,
  introspectedTypes,
} from '../../compiler/model/remote/introspected-types.ts'
import type { IntrospectedSchemas } from '../../compiler/model/remote/remote-schemas.ts'
import type { RemoteTypes } from '../../compiler/model/remote-types.ts'
import type { Config } from '../../config/config.ts'
import { EngineError } from '../../errors.ts'
import type { Metadata } from '../../metadata/metadata.ts'
import type { RemoteSchemaMetadata } from '../../metadata/remote-schemas.ts'
import { ADMIN } from '../../session/session.ts'
import { ROLE_VARIABLE } from '../../session/session-variables.ts'
import { addressOf, askRemoteSchema } from './ask-remote-schema.ts'

/** What remote servers have said about themselves. Each is asked once for a definition, until it is forgotten. */
export type Introspections = {
  /** Asks the servers of the metadata that have not been asked yet, at the same time. */
  read(metadata: Metadata): Promise<IntrospectedSchemas>
  /** What was read last. */
  known(): IntrospectedSchemas
  /** Makes the next `read` ask again: all servers, or those of the remote schemas with these names. */
  forget(names: readonly string[] | 'all'): void
}

/** Nothing known yet. */
export function createIntrospections(config: Config): Introspections {
  const asked = new Map<string, { definition: string; types: RemoteTypes | Inconsistent }>()
  let last: IntrospectedSchemas = new Map()

  async function readOne(schema: RemoteSchemaMetadata) {
    const definition = JSON.stringify(schema.definition)
    const known = asked.get(schema.name)
    if (known?.definition === definition) return [schema.name, known.types] as const
    const types = await introspect(schema, config).catch((thrown: unknown) => {
      if (thrown instanceof Inconsistent) return thrown
      throw thrown
    })
    asked.set(schema.name, { definition, types })
    return [schema.name, types] as const
  }

  return {
    async read({ remote_schemas }) {
      last = new Map(await Promise.all(remote_schemas.map(readOne)))
      for (const name of asked.keys()) if (!last.has(name)) asked.delete(name)
      return last
    },
    known: () => last,
    forget(names) {
      if (names === 'all') asked.clear()
      else for (const name of names) asked.delete(name)
    },
  }
}

async function introspect(schema: RemoteSchemaMetadata, config: Config): Promise<RemoteTypes> {
  return introspectedTypes(parseJson(await introspectionText(schema, config)))
}

/**
 * What the server answers to the introspection query.
 *
 * @throws Inconsistent if it does not answer
 */
export async function introspectionText(
  { definition }: Pick<RemoteSchemaMetadata, 'definition'>,
  { environment }: Pick<Config, 'environment'>,
): Promise<string> {
  const request = { query: INTROSPECTION_QUERY, operationName: 'IntrospectionQuery' }
  const caller = { variables: [[ROLE_VARIABLE, ADMIN]] as const, headers: {} }
  const reply = await askRemoteSchema(definition, request, caller, environment).catch(
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

/** Hasura's message about a server that cannot be asked. */
export function httpFailure(address: string): string {
  return `HTTP exception occurred while sending the request to ${JSON.stringify(address)}`
}

function parseJson(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch (cause) {
    throw new Inconsistent('the answer to the introspection query is no JSON', { cause })
  }
}
