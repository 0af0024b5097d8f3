import { z } from 'zod'
import type { Asking } from '../servers/graphql-server.ts'
import type { World } from '../worlds/world.ts'
import { smallerDocument } from './smaller-document.ts'
import { smallerJson } from './smaller-json.ts'
import { smallerList } from './smaller-list.ts'

/** A world and a request on which two servers differ. */
export type Case = { world: World; asked: Asking }

/**
 * Makes a case as small as it can be made in some tries: first the request, then the metadata, then the schema and its rows.
 *
 * @param differs whether the servers still differ on a smaller case
 */
export async function reduceCase(
  found: Case,
  differs: (smaller: Case) => Promise<boolean>,
  maxTries: number,
): Promise<Case> {
  let current = found
  let tries = 0
  const holds = async (smaller: Case): Promise<boolean> => {
    tries += 1
    if (tries > maxTries || !(await differs(smaller).catch(() => false))) return false
    current = smaller
    return true
  }
  await reduceRequest(() => current, holds)
  await smallerJson(current.asked.headers, async (headers) => {
    const { data } = Headers.safeParse(headers)
    return data !== undefined && holds({ ...current, asked: { ...current.asked, headers: data } })
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

async function reduceRequest(now: () => Case, holds: Holds): Promise<void> {
  const withBody = (body: unknown) => holds({ ...now(), asked: { ...now().asked, body } })
  const { data: body } = WithDocument.safeParse(now().asked.body)
  if (body) await smallerDocument(body.query, (query) => withBody({ ...body, query }))
  await smallerJson(now().asked.body, withBody)
}

async function reduceMetadata(now: () => Case, holds: Holds): Promise<void> {
  await smallerJson(now().world.metadata, async (metadata) => {
    if (typeof metadata !== 'object' || metadata === null) return false
    return holds({ ...now(), world: { ...now().world, metadata: { ...metadata } } })
  })
}
