import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, database } from '../../../../test/support/database.ts'
import { metadata, replace, runSql, table } from '../support/metadata.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import { ADMIN_SECRET, readAnswer, type ServedEngine } from '../support/start-engine.ts'

let db: Database
let engine: ServedEngine

beforeAll(async () => {
  db = await database()
  engine = await serveEngineHere(db.url, {
    ENGINE_MAX_BODY_BYTES: '100000',
    HASURA_GRAPHQL_CORS_DOMAIN: 'https://app.test, https://*.pages.test',
  })
  await engine.post(
    '/v2/query',
    runSql(
      'create table note (id int primary key, text text, number numeric default 12345678901234567890.123456789)',
    ),
  )
  await engine.post(
    '/v2/query',
    runSql(`insert into note (id, text) select n, repeat('x', 100) from generate_series(1, 50) n`),
  )
  await engine.post('/v1/metadata', replace(metadata([table('note')])))
})

afterAll(async () => {
  await engine.stop()
  await db.drop()
})

test('a response says that its connection is kept alive for 30 seconds', async () => {
  const response = await fetch(`${engine.url}/healthz`)
  expect(response.headers.get('keep-alive')).toBe('timeout=30')
})

const NOTE = '{ note_by_pk(id: 1) { id } }'
const ONE = { data: { note_by_pk: { id: 1 } } }

describe('each path is routed to its handler', () => {
  test('/healthz answers OK without a secret', async () => {
    const reply = await readAnswer(await fetch(`${engine.url}/healthz`))
    expect([reply.status, reply.text]).toEqual([200, 'OK'])
    expect(reply.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  })

  test('/healthz answers a client that offers HTTP/2', async () => {
    const headers = {
      connection: 'Upgrade, HTTP2-Settings',
      upgrade: 'h2c',
      'http2-settings': 'AA',
    }
    const outgoing = request(`${engine.url}/healthz`, { headers }).end()
    const [response] = await once(outgoing, 'response')
    expect(response.statusCode).toBe(200)
    response.destroy()
  })

  test('/v1/version answers without a secret', async () => {
    const reply = await readAnswer(await fetch(`${engine.url}/v1/version`))
    expect(reply.body).toMatchObject({ version: expect.stringMatching(/^v2\.\d+\.\d+$/) })
  })

  test.each([
    ['GET', '/nowhere'],
    ['POST', '/nowhere'],
    ['GET', '/v2/query'],
  ])('%s %s gets 404', async (method, path) => {
    const reply = await readAnswer(await fetch(engine.url + path, { method }))
    expect(reply.status).toBe(404)
    expect(reply.body).toEqual({ error: 'resource does not exist', path: '$', code: 'not-found' })
  })

  test('/v1alpha1/config shows the settings to admin only', async () => {
    const ask = (headers: Record<string, string>) =>
      fetch(`${engine.url}/v1alpha1/config`, { headers }).then(readAnswer)
    const { status, body } = await ask({ 'x-hasura-admin-secret': ADMIN_SECRET })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { is_admin_secret_set: true, is_jwt_set: false, jwt: [], is_allow_list_enabled: false },
    })
    expect((await ask({})).body).toMatchObject({ code: 'access-denied' })
    const user = { 'x-hasura-admin-secret': ADMIN_SECRET, 'x-hasura-role': 'user' }
    expect((await ask(user)).status).toBe(400)
  })

  test('/v1alpha1/pg_dump dumps only this database, and only for admin', async () => {
    const dump = (opts: string[], headers = {}) =>
      engine.post('/v1alpha1/pg_dump', { opts, clean_output: true }, headers)
    const schemaDump = await dump(['-O', '-x', '--schema-only', '--schema', 'public'])
    // pg_dump may be missing on this machine, or too old for the server.
    if (schemaDump.status === 200) expect(schemaDump.text).toMatch(/CREATE TABLE public\./)
    else
      expect(schemaDump.body).toMatchObject({
        code: 'unexpected',
        error: expect.stringContaining('pg_dump'),
      })
    for (const option of ['--file=/tmp/x', '-f', '--host=elsewhere', '-h', '--dbname=x'])
      expect((await dump([option])).body, option).toMatchObject({ code: 'not-supported' })
    expect((await dump(['postgres://elsewhere/x'])).body).toMatchObject({ code: 'unexpected' })
    expect((await dump([], { 'x-hasura-role': 'user' })).body).toMatchObject({
      code: 'access-denied',
    })
  })

  test('GET on /v1/graphql gets not-supported, since there are no persisted queries', async () => {
    const reply = await readAnswer(await fetch(`${engine.url}/v1/graphql`))
    expect(reply.body).toMatchObject({ errors: [{ extensions: { code: 'not-supported' } }] })
  })
})

describe('responses without errors have request ids', () => {
  test("a client's request id is returned", async () => {
    const reply = await engine.graphql(NOTE, {}, { 'x-request-id': 'mine' })
    expect(reply.headers.get('x-request-id')).toBe('mine')
  })

  test("a response without a client's request id has a UUID", async () => {
    const reply = await engine.graphql(NOTE)
    expect(reply.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('an error response has no request id', async () => {
    const reply = await engine.graphql('{ nothing }', {}, { 'x-request-id': 'mine' })
    expect(reply.headers.get('x-request-id')).toBeNull()
  })
})

describe('request bodies are read within limits', () => {
  test('the responses of a batch have the order of its operations, and an error has the place of its operation', async () => {
    const reply = await engine.post('/v1/graphql', [
      { query: NOTE },
      { query: '{ nope }' },
      { query: NOTE },
    ])
    expect(reply.body).toEqual([ONE, { errors: [expect.anything()] }, ONE])
  })

  test('numbers with many digits keep them all', async () => {
    const query =
      'query ($n: numeric!) { note_aggregate(where: {number: {_eq: $n}}) { aggregate { max { number } } } }'
    const body = `{"query":${JSON.stringify(query)},"variables":{"n":12345678901234567890.123456789}}`
    const reply = await engine.post('/v1/graphql', body)
    expect(reply.text).toContain('12345678901234567890.123456789')
  })

  test('a body at the limit is accepted, and one byte more gets 413', async () => {
    const padded = (bytes: number) => `{"query":"${NOTE}"${' '.repeat(bytes - NOTE.length - 12)}}`
    expect((await engine.post('/v1/graphql', padded(100_000))).body).toEqual(ONE)
    expect((await engine.post('/v1/graphql', padded(100_001))).status).toBe(413)
  })

  test('a body without a length gets 413 above the limit', async () => {
    const chunks = new ReadableStream({
      start(controller) {
        for (let i = 0; i < 30; i += 1) controller.enqueue(Buffer.alloc(10_000, 32))
        controller.close()
      },
    })
    const reply = await fetch(`${engine.url}/v1/graphql`, {
      method: 'POST',
      body: chunks,
      duplex: 'half',
    })
    expect(reply.status).toBe(413)
  })

  test('fifty slow clients are answered and do not delay others', async () => {
    const body = JSON.stringify({ query: NOTE })
    const head = `POST /v1/graphql HTTP/1.1\r\nhost: a\r\nconnection: close\r\nx-hasura-admin-secret: ${ADMIN_SECRET}\r\ncontent-length: ${body.length}\r\n\r\n`
    const slowSockets = Array.from({ length: 50 }, () => {
      const one = connect(Number(new URL(engine.url).port), '127.0.0.1')
      one.write(head + body.slice(0, 5))
      return one
    })
    expect((await engine.graphql(NOTE)).body).toEqual(ONE)
    const answers = slowSockets.map(async (one) => {
      one.write(body.slice(5))
      const chunks: Buffer[] = []
      for await (const chunk of one) chunks.push(chunk)
      return Buffer.concat(chunks).toString()
    })
    for (const answer of await Promise.all(answers)) expect(answer).toContain(JSON.stringify(ONE))
  })

  test('a client that disconnects while it sends does not affect others', async () => {
    const socket = connect(Number(new URL(engine.url).port), '127.0.0.1')
    socket.write('POST /v1/graphql HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n\r\n{"query":')
    await new Promise<void>((resolve) => socket.once('connect', () => resolve()))
    socket.destroy()
    expect((await engine.graphql(NOTE)).body).toEqual(ONE)
  })
})

describe('responses are compressed', () => {
  const longQuery = JSON.stringify({ query: '{ note { id text } }' })

  function sendRaw(encoding: string, body: string) {
    return new Promise<{ encoding: string | undefined; bytes: Buffer }>((resolve, reject) => {
      const headers = { 'x-hasura-admin-secret': ADMIN_SECRET, 'accept-encoding': encoding }
      const outgoing = request(
        `${engine.url}/v1/graphql`,
        { method: 'POST', headers },
        async (response) => {
          const chunks: Buffer[] = []
          for await (const chunk of response) chunks.push(chunk)
          resolve({ encoding: response.headers['content-encoding'], bytes: Buffer.concat(chunks) })
        },
      )
      outgoing.on('error', reject)
      outgoing.end(body)
    })
  }

  test.each([
    ['gzip', 'gzip', gunzipSync],
    ['gzip, br', 'br', brotliDecompressSync],
    ['br;q=0, gzip', 'gzip', gunzipSync],
  ])('a client that accepts %s gets %s', async (accepted, encoding, open) => {
    const reply = await sendRaw(accepted, longQuery)
    expect(reply.encoding).toBe(encoding)
    expect(JSON.parse(open(reply.bytes).toString()).data.note).toHaveLength(50)
  })

  test('a short response is not compressed', async () => {
    expect((await sendRaw('gzip', JSON.stringify({ query: NOTE }))).encoding).toBeUndefined()
  })
})

describe('CORS allows the configured origins', () => {
  const preflight = (origin: string) =>
    fetch(`${engine.url}/v1/graphql`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-headers': 'content-type,x-mine' },
    })

  test.each(['https://app.test', 'https://one.pages.test'])(
    'the origin %s is allowed',
    async (origin) => {
      const reply = await preflight(origin)
      expect(reply.status).toBe(204)
      expect(reply.headers.get('access-control-allow-origin')).toBe(origin)
      expect(reply.headers.get('access-control-allow-headers')).toBe('content-type,x-mine')
    },
  )

  test.each(['https://evil.test', 'https://a.b.pages.test', 'https://app.test.evil.test'])(
    'the origin %s is not allowed',
    async (origin) => {
      const reply = await preflight(origin)
      expect(reply.headers.get('access-control-allow-origin')).toBeNull()
    },
  )
})

describe('settings choose what an engine serves', () => {
  test('an API that is not enabled gets 404', async () => {
    const small = await serveEngineHere(db.url, { HASURA_GRAPHQL_ENABLED_APIS: 'graphql' })
    expect((await small.post('/v1/metadata', {})).status).toBe(404)
    expect((await small.post('/v2/query', {})).status).toBe(404)
    expect((await small.graphql(NOTE)).body).toEqual(ONE)
    await small.stop()
  })

  test('PRESERVE_401_ERRORS answers a wrong secret with 401', async () => {
    const strict = await serveEngineHere(db.url, { HASURA_GRAPHQL_PRESERVE_401_ERRORS: 'true' })
    const wrongSecret = { 'x-hasura-admin-secret': 'wrong' }
    expect((await strict.graphql(NOTE, {}, wrongSecret)).status).toBe(401)
    expect((await engine.graphql(NOTE, {}, wrongSecret)).status).toBe(200)
    expect((await strict.graphql('{ nope }')).status).toBe(200)
    await strict.stop()
  })
})
