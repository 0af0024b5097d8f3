import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { freePort } from '../../../local/process/free-port.ts'
import { serveEngineHere } from '../../../packages/engine/test/support/serve-here.ts'
import {
  ADMIN_SECRET,
  type ServedEngine,
} from '../../../packages/engine/test/support/start-engine.ts'
import { type Database, database } from '../../support/database.ts'
import { START_CACHE } from '../../support/start-cache.ts'

let db: Database
let engine: ServedEngine
const folder = mkdtempSync(join(tmpdir(), 'differential-'))
const recording = join(folder, 'recording.json.gz')

beforeAll(async () => {
  db = await database()
  engine = await serveEngineHere(db.url)
})
afterAll(async () => {
  await engine?.stop()
  await db?.drop()
  rmSync(folder, { recursive: true })
})

type Run = { code: number | null; output: string }

/** Runs `npm run test:differential` with its engine on the PostgreSQL of this test run. */
function differential(args: string[], endpoint?: string): Promise<Run> {
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    ...(endpoint && {
      HASURA_GRAPHQL_ENDPOINT: endpoint,
      HASURA_GRAPHQL_ADMIN_SECRET: ADMIN_SECRET,
    }),
  }
  const command = [
    ...START_CACHE,
    'trials/differential/differential.ts',
    '--database',
    inject('postgresUrl'),
    ...args,
  ]
  return new Promise((resolve) => {
    const child = execFile(process.execPath, command, { env }, (_error, out, err) =>
      resolve({ code: child.exitCode, output: out + err }),
    )
  })
}

test('without a Hasura the engine is compared with the reference', async () => {
  const { code, output } = await differential(['--seed', '1', '--operations', '40'])
  expect({ code, output }).toMatchObject({
    code: 0,
    output: expect.stringContaining(', 0 different'),
  })
  for (const what of ['queries', 'changes', 'inherited roles', 'aggregates'])
    expect(output).toMatch(new RegExp(`^${what}: \\d+ random worlds alike$`, 'm'))
})

describe('the engine is compared with a Hasura or a recording', () => {
  test('random operations get the same responses from both servers and can be recorded', async () => {
    const amount = ['--seed', '7', '--worlds', '1', '--operations', '30']
    const { code, output } = await differential([...amount, '--record', recording], engine.url)
    expect({ code, output }).toMatchObject({ code: 0 })
    expect(output).toMatch(/^([3-4]\d) of \1 operations alike, 0 different$/m)
    const savedRecording = JSON.parse(gunzipSync(readFileSync(recording)).toString())
    const kinds = savedRecording.recordings.flatMap((one: { rows: { text: string }[] }) =>
      one.rows.map(({ text }) => (text.includes('"errors"') ? 'refused' : 'answered')),
    )
    expect(new Set(kinds)).toEqual(new Set(['refused', 'answered']))
    const leftoverTables = await db.query(
      "select from pg_tables where schemaname in ('public', 'differential')",
    )
    expect(leftoverTables.rowCount).toBe(0)
  })

  test('a recording is compared without a Hasura', async () => {
    const { code, output } = await differential(['--recorded', recording])
    expect({ code, output }).toMatchObject({ code: 0 })
    expect(output).toMatch(/ operations alike, 0 different$/m)
  })

  test('test:differential rejects a database that has tables', async () => {
    await db.query('create table precious (id int)')
    const { code, output } = await differential([], engine.url)
    expect({ code, output }).toMatchObject({ code: 2, output: expect.stringContaining('1 tables') })
    await db.query('drop table precious')
  })
})

describe('a difference is shown with the responses', () => {
  test('a difference from a Hasura is shown with both responses', async () => {
    const altered = await startAltered((text) => text.replaceAll('"data"', '"altered"'))
    const amount = ['--seed', '7', '--worlds', '1', '--operations', '10', '--tries', '0']
    const { code, output } = await differential(amount, altered.url)
    altered.server.close()
    expect({ code, output }).toMatchObject({ code: 1 })
    const [first = ''] = output.split('DIFFERENCE').slice(1)
    expect(first).toMatch(/── the given Hasura\n200 \{"altered":/)
    expect(first).toMatch(/── the embedded engine\n200 \{"data":/)
  })

  test('a difference from a recording is shown with the recorded response', async () => {
    const savedRecording = JSON.parse(gunzipSync(readFileSync(recording)).toString())
    savedRecording.recordings[0].rows[0].text = '{"data":{"never":[]}}'
    const other = join(folder, 'other.json.gz')
    writeFileSync(other, gzipSync(JSON.stringify(savedRecording.recordings[0])))
    const { code, output } = await differential(['--recorded', other])
    expect({ code, output }).toMatchObject({ code: 1 })
    expect(output).toContain('200 {"data":{"never":[]}}')
  })
})

test.each([
  ['--help', [], 0, '--recorded FILE…'],
  ['an unknown option', ['--sed', '1'], 2, "'--sed'"],
  ['a number of worlds that is not a number', ['--worlds', 'many'], 2, 'worlds'],
  [
    'a file that is not a recording',
    ['--recorded', 'package.json'],
    2,
    'package.json is no recording',
  ],
  ['--record without a Hasura', ['--record', recording], 2, 'HASURA_GRAPHQL_ENDPOINT'],
])('test:differential answers %s with a helpful sentence', async (what, args, exit, sentence) => {
  const { code, output } = await differential(what === '--help' ? [what] : args)
  expect({ code, output }).toMatchObject({ code: exit, output: expect.stringContaining(sentence) })
})

/** Imitates a Hasura that differs from the engine: starts a proxy to the engine that alters the responses. */
async function startAltered(
  alter: (text: string) => string,
): Promise<{ url: string; server: Server }> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const {
      host: _,
      'content-length': _length,
      connection: _connection,
      ...headers
    } = request.headers
    const engineResponse = await fetch(engine.url + request.url, {
      method: request.method ?? 'GET',
      headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    })
    const text = await engineResponse.text()
    response.writeHead(engineResponse.status, { 'content-type': 'application/json' })
    response.end(request.url === '/v1/graphql' ? alter(text) : text)
  })
  const port = await freePort()
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${port}`, server }
}
