import { once } from 'node:events'
import { rmSync } from 'node:fs'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'
import { type Facts, readFacts } from '../../../packages/platform/facts.ts'
import {
  freePorts,
  type StartCommand,
  startCommand,
} from '../../../packages/platform/test/support/start-command.ts'
import { type DescribedOperation, operationsOf, valuesOf } from '../../support/openapi/examples.ts'
import { document } from '../../support/webhooks/openapi/contract.ts'

const folder = temporaryFolder('try-it-out-')
let platform: StartCommand
let facts: Facts
let db: pg.Client

beforeAll(async () => {
  platform = startCommand({ DATA_FOLDER: folder, ...(await freePorts()) })
  await platform.waitForOutput('Ready.')
  facts = readFacts(folder)
  db = new pg.Client(facts.databaseUrl)
  await db.connect()
})
afterAll(async () => {
  await db.end()
  const exit = once(platform.child, 'exit')
  platform.child.kill('SIGINT')
  await exit
  rmSync(folder, { recursive: true, force: true })
})

/**
 * The operations that need a mailed link or a payment of the caller. The examples contain neither, so
 * they get this status.
 */
const NEEDS_ONES_OWN: Record<string, number> = {
  'GET /api/v2/minikit/transaction': 404,
  'GET /api/v2/minikit/transaction/{transaction_id}': 404,
  'GET /api/v1/verify-email': 400,
  'POST /api/v1/verify-email': 400,
  'GET /api/v1/reset-password': 400,
  'POST /api/v1/reset-password': 400,
  'GET /api/v1/change-email': 400,
  'POST /api/v1/change-email': 400,
  'GET /api/v1/accept-invite': 400,
  'POST /api/v1/accept-invite': 400,
}

const operations = operationsOf(document)
const examples = operations.flatMap((operation) => {
  const [media] = Object.entries(operation.requestBody?.content ?? {})
  const bodies = media ? valuesOf(media[1]) : [['nothing', undefined] as const]
  return bodies.map(([title, body]) => ({
    ...operation,
    title,
    body,
    path: withParameters(operation, title),
    type: media?.[0],
    // The public proofs of protocol 4.0 are for an app of World.
    expected: title.includes('of protocol 4.0')
      ? 400
      : (NEEDS_ONES_OWN[operation.name] ??
        Number(Object.keys(operation.responses).find(isSuccess))),
  }))
})

describe('every documented example works on a platform started by npm start', () => {
  test.each(examples)(
    'the example “$title” of $name gets its documented status',
    async ({ method, path, body, type, expected }) => {
      // The examples verify the same person, so no person may be counted yet.
      await db.query('delete from nullifier')
      const response = await fetch(`${facts.baseUrl}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${facts.apiKey}`,
          ...(type && { 'content-type': type }),
        },
        ...(body !== undefined && { body: encodedAs(type, body) }),
      })
      expect([response.status, await response.text()]).toEqual([expected, expect.any(String)])
    },
  )
})

function withParameters({ path, parameters }: DescribedOperation, title: string): string {
  const query = new URLSearchParams()
  let filledPath = path
  for (const { name, in: location, example } of parameters) {
    if (location === 'path')
      filledPath = filledPath.replace(`{${name}}`, pathValue(title, String(example)))
    if (location === 'query' && example !== undefined) query.set(name, String(example))
  }
  return `${filledPath}?${query}`
}

/** Returns the example of the path's parameter; for a title with “by the id in the path”, the id of an action. */
function pathValue(title: string, example: string): string {
  return title.includes('by the id in the path')
    ? 'action_00000000000000000000000000000001'
    : example
}

function encodedAs(type: string | undefined, body: unknown): string {
  if (type !== 'application/x-www-form-urlencoded') return JSON.stringify(body)
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(Object(body))) form.set(name, String(value))
  return form.toString()
}

function isSuccess(status: string): boolean {
  return Number(status) < 300
}
