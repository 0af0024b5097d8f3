import { generateKeyPairSync } from 'node:crypto'
import { CompactSign, exportJWK, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Notes, readNoteIds, serveNotes } from '../support/notes.ts'
import { startReceiver } from '../support/receiver.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import { openReadySocket, type Socket } from '../support/socket.ts'
import type { ServedEngine } from '../support/start-engine.ts'

let notes: Notes

beforeAll(async () => {
  notes = await serveNotes()
})
afterAll(() => notes.stop())

describe('a JWT authenticates a caller', () => {
  const KEY = 'a-key-of-the-tests-that-is-just-long-enough'
  const NAMESPACE = 'https://hasura.io/jwt/claims'
  const CLAIMS = {
    'x-hasura-allowed-roles': ['user', 'anonymous'],
    'x-hasura-default-role': 'user',
    'x-hasura-user-id': 'ada',
  }
  let engine: ServedEngine
  beforeAll(async () => {
    engine = await serveEngineHere(notes.db.url, {
      HASURA_GRAPHQL_JWT_SECRET: JSON.stringify({
        type: 'HS256',
        key: KEY,
        audience: 'us',
        issuer: 'them',
      }),
    })
  })
  afterAll(() => engine.stop())

  function signToken(
    claims: object | string,
    { key = KEY, audience = 'us', issuer = 'them', expires = '1h' } = {},
  ) {
    return new SignJWT({ [NAMESPACE]: claims })
      .setProtectedHeader({ alg: 'HS256' })
      .setAudience(audience)
      .setIssuer(issuer)
      .setExpirationTime(expires)
      .sign(new TextEncoder().encode(key))
  }
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

  test('the claims of a JWT set the role and the session variables', async () => {
    const headers = bearer(await signToken(CLAIMS))
    expect(await readNoteIds(engine, headers)).toEqual([1])
    expect(await readNoteIds(engine, { ...headers, 'x-hasura-user-id': 'bob' })).toEqual([1])
    expect(await readNoteIds(engine, { ...headers, 'x-hasura-role': 'anonymous' })).toEqual([2])
    expect(await readNoteIds(engine, { ...headers, 'x-hasura-role': 'admin' })).toBe(
      'access-denied',
    )
    expect(await readNoteIds(engine, { ...headers, 'x-hasura-role': '' })).toEqual([1])
  })

  test('if a JWT has a claim in two spellings, the first spelling counts', async () => {
    const claims = { ...CLAIMS, 'X-Hasura-User-Id': 'bob', 'X-Hasura-Default-Role': 'anonymous' }
    expect(await readNoteIds(engine, bearer(await signToken(claims)))).toEqual([1])
  })

  test.each(['graphql-transport-ws', 'graphql-ws'])(
    'an expired JWT ends its socket without a close frame, as in Hasura (%s)',
    async (protocol) => {
      const opened = await openForShort(protocol)
      expect(await opened.closed).toEqual({ code: 1006, reason: '' })
    },
  )

  /** Opens a socket with a token that expires soon. Retries with a later expiry if the handshake fails. */
  async function openForShort(protocol: string, seconds = 1): Promise<Socket> {
    const headers = bearer(await signToken(CLAIMS, { expires: `${seconds} seconds` }))
    return openReadySocket(engine.url, headers, protocol).catch((error: unknown) => {
      if (seconds > 30) throw error
      return openForShort(protocol, seconds * 2)
    })
  }

  const withMember = (member: string) => JSON.stringify(CLAIMS).replace('{', `{${member},`)
  const inAnHour = () => Math.floor(Date.now() / 1_000) + 3_600
  test.each([
    ['issued in the future', () => ({ iat: inAnHour() })],
    ['with a number for its subject', () => ({ sub: 1 })],
    ['with a number for its id', () => ({ jti: 1 })],
    ['with a subject that is not a URI', () => ({ sub: 'a b:c' })],
  ])('a JWT %s is rejected', async (_what, createClaims) => {
    const claims = {
      [NAMESPACE]: CLAIMS,
      aud: 'us',
      iss: 'them',
      exp: inAnHour(),
      ...createClaims(),
    }
    const token = new CompactSign(Buffer.from(JSON.stringify(claims)))
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(KEY))
    expect(await readNoteIds(engine, bearer(await token))).toBe('invalid-jwt')
  })

  test.each([
    ['claim', (text: string) => text.replace('{', '{"exp":1,')],
    [
      'Hasura claim',
      (text: string) => text.replace('"x-hasura-user-id"', '"x-hasura-user-id":"eve",$&'),
    ],
  ])('a JWT with a %s repeated with another value is rejected', async (_what, repeatClaim) => {
    const text = JSON.stringify({ [NAMESPACE]: CLAIMS, aud: 'us', iss: 'them', exp: inAnHour() })
    const sign = (payload: string) =>
      new CompactSign(Buffer.from(payload))
        .setProtectedHeader({ alg: 'HS256' })
        .sign(new TextEncoder().encode(KEY))
    expect(await readNoteIds(engine, bearer(await sign(text)))).not.toBe('invalid-jwt')
    expect(await readNoteIds(engine, bearer(await sign(repeatClaim(text))))).toBe('invalid-jwt')
  })

  test.each([
    ['as the default role', { 'x-hasura-default-role': '' }],
    ['among the allowed roles', { 'x-hasura-allowed-roles': ['user', ''] }],
  ])('a JWT with an empty name %s is rejected', async (_where, claims) => {
    expect(await readNoteIds(engine, bearer(await signToken({ ...CLAIMS, ...claims })))).toBe(
      'jwt-invalid-claims',
    )
  })

  test('a JWT with padding or a lower-case scheme is rejected', async () => {
    const token = await signToken(CLAIMS)
    expect(await readNoteIds(engine, bearer(`${token}=`))).toBe('invalid-jwt')
    expect(await readNoteIds(engine, { authorization: `bearer ${token}` })).toBe('invalid-headers')
  })

  test.each([
    [
      'signed with another key',
      () => signToken(CLAIMS, { key: KEY.replace('a-', 'b-') }),
      'invalid-jwt',
    ],
    ['for another audience', () => signToken(CLAIMS, { audience: 'others' }), 'invalid-jwt'],
    ['of another issuer', () => signToken(CLAIMS, { issuer: 'others' }), 'invalid-jwt'],
    ['that has expired', () => signToken(CLAIMS, { expires: '1 second ago' }), 'invalid-jwt'],
    ['that cannot be parsed', async () => 'a.b.c', 'invalid-jwt'],
    [
      'without a default role',
      () => signToken({ 'x-hasura-allowed-roles': ['user'] }),
      'jwt-missing-role-claims',
    ],
    [
      'with a string for the roles',
      () => signToken({ ...CLAIMS, 'x-hasura-allowed-roles': 'user' }),
      'jwt-invalid-claims',
    ],
    [
      'with a number for a variable',
      () => signToken({ ...CLAIMS, 'x-hasura-user-id': 1 }),
      'jwt-invalid-claims',
    ],
  ])('a JWT %s is rejected with its code', async (_what, token, code) => {
    expect(await readNoteIds(engine, bearer(await token()))).toBe(code)
  })

  test.each([
    ['json', CLAIMS, [1]],
    ['json', JSON.stringify(CLAIMS), 'jwt-invalid-claims'],
    ['stringified_json', JSON.stringify(CLAIMS), [1]],
    ['stringified_json', CLAIMS, 'jwt-invalid-claims'],
    ['stringified_json', '{', 'jwt-invalid-claims'],
    ['stringified_json', withMember('"x-hasura-user-id":"eve"'), 'jwt-invalid-claims'],
    ['stringified_json', withMember('"x-hasura-default-role":"anonymous"'), 'jwt-invalid-claims'],
    ['stringified_json', withMember('"x-hasura-user-id":"ada"'), [1]],
  ])('claims in the format %s are read or rejected: %j', async (claims_format, claims, outcome) => {
    const secret = JSON.stringify({ type: 'HS256', key: KEY, claims_format })
    const strict = await serveEngineHere(notes.db.url, { HASURA_GRAPHQL_JWT_SECRET: secret })
    expect(await readNoteIds(strict, bearer(await signToken(claims)))).toEqual(outcome)
    await strict.stop()
  })

  test('a JWT without a signature is rejected', async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const claims = { [NAMESPACE]: CLAIMS, aud: 'us', iss: 'them' }
    expect(await readNoteIds(engine, bearer(`${part({ alg: 'none' })}.${part(claims)}.`))).toBe(
      'invalid-jwt',
    )
  })

  test('a request without a JWT or with another scheme is rejected', async () => {
    expect(await readNoteIds(engine, {})).toBe('invalid-headers')
    expect(await readNoteIds(engine, { authorization: 'Basic abc' })).toBe('invalid-headers')
  })

  test('a request without a JWT gets the unauthorized role, and an invalid JWT is rejected', async () => {
    const lenient = await serveEngineHere(notes.db.url, {
      HASURA_GRAPHQL_JWT_SECRET: JSON.stringify({ type: 'HS256', key: KEY }),
      HASURA_GRAPHQL_UNAUTHORIZED_ROLE: 'anonymous',
    })
    expect(await readNoteIds(lenient, { 'x-hasura-role': 'user' })).toEqual([2])
    expect(await readNoteIds(lenient, bearer('a.b.c'))).toBe('invalid-jwt')
    const wrong = { ...bearer(await signToken(CLAIMS)), 'x-hasura-admin-secret': 'wrong' }
    expect(await readNoteIds(lenient, wrong)).toBe('access-denied')
    await lenient.stop()
  })

  test('a JWT can be verified with a key from a URL, and its claims can be under a path', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256' }] }
    const jwks = await startReceiver(() => ({ status: 200, body: keys }))
    const other = await serveEngineHere(notes.db.url, {
      HASURA_GRAPHQL_JWT_SECRET: JSON.stringify({
        jwk_url: jwks.url,
        claims_namespace_path: '$.deep.claims',
      }),
    })
    const token = await new SignJWT({ deep: { claims: CLAIMS } })
      .setProtectedHeader({ alg: 'RS256', kid: 'k' })
      .sign(privateKey)
    expect(await readNoteIds(other, bearer(token))).toEqual([1])
    expect(await readNoteIds(other, bearer(await signToken(CLAIMS)))).toBe('invalid-jwt')
    await other.stop()
    await jwks.close()
  })

  test('a JWT is verified with the key of its issuer', async () => {
    const other = 'the key of another issuer, long enough'
    const engines = await serveEngineHere(notes.db.url, {
      HASURA_GRAPHQL_JWT_SECRETS: JSON.stringify([
        { type: 'HS256', key: KEY, issuer: 'one' },
        { type: 'HS256', key: other, issuer: 'two' },
      ]),
    })
    const token = (issuer: string, key: string) =>
      new SignJWT({ [NAMESPACE]: CLAIMS })
        .setProtectedHeader({ alg: 'HS256' })
        .setIssuer(issuer)
        .sign(new TextEncoder().encode(key))
    expect(await readNoteIds(engines, bearer(await token('one', KEY)))).toEqual([1])
    expect(await readNoteIds(engines, bearer(await token('two', other)))).toEqual([1])
    expect(await readNoteIds(engines, bearer(await token('two', KEY)))).toBe('invalid-jwt')
    expect(await readNoteIds(engines, bearer(await token('three', KEY)))).toBe('invalid-jwt')
    await engines.stop()
  })

  test('claims can be mapped from other places, and the JWT can be in a cookie', async () => {
    const claims_map = {
      'x-hasura-allowed-roles': { path: '$.groups' },
      'x-hasura-default-role': 'user',
      'x-hasura-user-id': { path: '$.sub' },
    }
    const header = { type: 'Cookie', name: 'session' }
    const other = await serveEngineHere(notes.db.url, {
      HASURA_GRAPHQL_JWT_SECRET: JSON.stringify({ type: 'HS256', key: KEY, claims_map, header }),
    })
    const token = await new SignJWT({ groups: ['user'], sub: 'bob' })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(KEY))
    expect(await readNoteIds(other, { cookie: `a=b; session=${token}` })).toEqual([2])
    expect(await readNoteIds(other, { cookie: `session="${token}"` })).toEqual([2])
    expect(await readNoteIds(other, { cookie: `session=${token}; session=${token}` })).toBe(
      'invalid-headers',
    )
    await other.stop()
  })

  test.each([
    ['a key that is too short', { type: 'HS512', key: KEY }, /at least 64 bytes/],
    ['no key', { type: 'HS256' }, /must have jwk_url, or key and type/],
    ['a key and a URL', { type: 'HS256', key: KEY, jwk_url: 'http://a.test' }, /cannot both/],
    [
      'two places for the claims',
      { type: 'HS256', key: KEY, claims_namespace: 'a', claims_namespace_path: '$.a' },
      /cannot both/,
    ],
    ['a key that is not PEM', { type: 'RS256', key: KEY }, /must be .* in PEM/],
  ])('the engine does not start with %s', async (_what, secret, reason) => {
    const engineStart = serveEngineHere(notes.db.url, {
      HASURA_GRAPHQL_JWT_SECRET: JSON.stringify(secret),
    })
    await expect(engineStart).rejects.toThrow(reason)
    await expect(engineStart).rejects.not.toThrow(KEY)
  })
})
