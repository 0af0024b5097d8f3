import { z } from 'zod'
import type { ServerRequest } from '../servers/graphql-server.ts'
import type { World } from '../worlds/world.ts'
import { smallerDocument } from './smaller-document.ts'
import { smallerJson } from './smaller-json.ts'
import { smallerList } from './smaller-list.ts'

/** A world and a request on which two servers differ. */
export type Case = { world: World; request: ServerRequest }

/**
 * Makes a case as small as possible within `maxTries`: first the request, then the metadata, then the schema and its rows.
 *
 * @param differs resolves to true if the servers still differ on a smaller case
 */
export async function reduceCase(
  original: Case,
  differs: (smaller: Case) => Promise<boolean>,
  maxTries: number,
): Promise<Case> {
  let current = original
  let tries = 0
  const holds = async (smaller: Case): Promise<boolean> => {
    tries += 1
    if (tries > maxTries || !(await differs(smaller).catch(() => false))) return false
    current = smaller
    return true
  }
  await reduceRequest(() => current, holds)
  await smallerJson(current.request.headers, async (headers) => {
    const { data } = Headers.safeParse(headers)
    return (
      data !== undefined && holds({ ...current, request: { ...current.request, headers: data } })
    )
  })
  await reduceMetadata(() => current, holds)
  await smallerList(current.world.sql, (sql) =>
    holds({ ...current, world: { ...current.world, sql: [...sql] } }),
  )
  await reduceMetadata(() => current, holds)
  await reduceRequest(() => current, holds)
  return current
}

const Headers = z.record(z.string(), z.string())
const WithDocument = z.looseObject({ query: z.string() })

type Holds = (smaller: Case) => Promise<boolean>

async function reduceRequest(current: () => Case, holds: Holds): Promise<void> {
  const withBody = (body: unknown) =>
    holds({ ...current(), request: { ...current().request, body } })
  const { data: body } = WithDocument.safeParse(current().request.body)
  if (body) await smallerDocument(body.query, (query) => withBody({ ...body, query }))
  await smallerJson(current().request.body, withBody)
}

async function reduceMetadata(current: () => Case, holds: Holds): Promise<void> {
  await smallerJson(current().world.metadata, async (metadata) => {
    if (typeof metadata !== 'object' || metadata === null) return false
    return holds({ ...current(), world: { ...current().world, metadata: { ...metadata } } })
  })
}
