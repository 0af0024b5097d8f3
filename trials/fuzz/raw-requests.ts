import { gzipSync } from 'node:zlib'

/** Bytes for a socket, and the largest allowed number of responses. */
export type RawAttack = { name: string; bytes: string | Buffer; maxResponses: number }

/** A request hidden in the body of another request. A vulnerable server answers it too. */
const SMUGGLED = 'POST /api/_jwk-gen HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n'

/** An empty chunked body, followed by the smuggled request. */
const CHUNKED_SMUGGLED = `0\r\n\r\n${SMUGGLED}`

/** Writes a request to the attacked path with these header lines. */
type WriteRequest = (lines: readonly string[], body?: string) => string

/** The texts of requests, by name. They are sent as Latin-1. */
type NamedTexts = readonly (readonly [name: string, text: string])[]

/**
 * Creates requests whose framing two programs may read differently (RFC 9112, section 11.2), and other invalid requests.
 */
export function createRawAttacks(path: string): RawAttack[] {
  const request: WriteRequest = (lines, body = '') =>
    [`POST ${path} HTTP/1.1`, 'host: x', 'content-type: application/json', ...lines, '', body].join(
      '\r\n',
    )
  const texts = [
    ...lengthAttacks(request),
    ...chunkAttacks(request),
    ...headerAttacks(request),
    ...requestLineAttacks(path),
    ...upgradeAttacks(path),
    ...incompleteAttacks(path, request),
  ]
  return [
    ...texts.map(([name, text]) => ({ name, bytes: Buffer.from(text, 'latin1'), maxResponses: 1 })),
    compressionBomb(request),
  ]
}

/** Writes lengths that two programs may read differently. */
function lengthAttacks(request: WriteRequest): NamedTexts {
  return [
    [
      'content-length and transfer-encoding',
      request(['content-length: 6', 'transfer-encoding: chunked'], CHUNKED_SMUGGLED),
    ],
    [
      'transfer-encoding and content-length',
      request(['transfer-encoding: chunked', 'content-length: 6'], CHUNKED_SMUGGLED),
    ],
    ['two lengths', request(['content-length: 0', `content-length: ${SMUGGLED.length}`], SMUGGLED)],
    ['two lengths in one', request([`content-length: 0, ${SMUGGLED.length}`], SMUGGLED)],
    ['a length with a sign', request(['content-length: +2'], '{}')],
    ['a length with a space before the colon', request(['content-length : 2'], '{}')],
    ['a length in hexadecimal', request(['content-length: 0x2'], '{}')],
    ['a negative length', request(['content-length: -1'], '{}')],
    ['a length past 2^64', request([`content-length: ${'9'.repeat(30)}`], '{}')],
  ]
}

/** Writes valid and invalid chunked bodies. */
function chunkAttacks(request: WriteRequest): NamedTexts {
  return [
    [
      'chunked, obfuscated by a tab',
      request(['transfer-encoding:\tchunked\t', 'content-length: 6'], CHUNKED_SMUGGLED),
    ],
    ['xchunked', request(['transfer-encoding: xchunked'], CHUNKED_SMUGGLED)],
    [
      'chunked twice',
      request(['transfer-encoding: chunked', 'transfer-encoding: identity'], CHUNKED_SMUGGLED),
    ],
    ['chunked, folded', request(['transfer-encoding:', ' chunked'], CHUNKED_SMUGGLED)],
    [
      'a chunk of a size that overflows',
      request(['transfer-encoding: chunked'], 'fffffffffffffffff\r\n{}'),
    ],
    [
      'a chunk with a very long extension',
      request(['transfer-encoding: chunked'], `2;${'a'.repeat(50_000)}\r\n{}\r\n0\r\n\r\n`),
    ],
  ]
}

/** Writes headers that are malformed, repeated or too large. */
function headerAttacks(request: WriteRequest): NamedTexts {
  return [
    ['a folded header', request(['x-a: b', ' c', 'content-length: 2'], '{}')],
    ['a header with a bare line feed', request(['x-a: b\ncontent-length: 2'], '{}')],
    ['a header with a bare carriage return', request(['x-a: b\rcontent-length: 2'], '{}')],
    ['a header with a zero byte', request(['x-a: b\0c', 'content-length: 2'], '{}')],
    ['two hosts', request(['host: y', 'content-length: 2'], '{}')],
    [
      'two credentials',
      request(['authorization: Bearer a', 'authorization: Bearer b', 'content-length: 2'], '{}'),
    ],
    ['a header of 100 kB', request([`x-a: ${'a'.repeat(100_000)}`, 'content-length: 2'], '{}')],
    ['three thousand headers', request([...Array(3_000).keys()].map((i) => `x-${i}: a`))],
  ]
}

/** Writes request lines that no client of the platform sends. */
function requestLineAttacks(path: string): NamedTexts {
  return [
    ['no host', `GET ${path} HTTP/1.1\r\n\r\n`],
    [
      'the absolute form, with another host',
      `POST http://evil.example${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}`,
    ],
    [
      'the absolute form, with the address of the cloud’s metadata',
      'GET http://169.254.169.254/latest/meta-data/ HTTP/1.1\r\nhost: x\r\n\r\n',
    ],
    ['a tunnel', 'CONNECT 127.0.0.1:5432 HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['the asterisk form', 'OPTIONS * HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['HTTP/0.9', `GET ${path}\r\n`],
    ['HTTP/9.9', `GET ${path} HTTP/9.9\r\nhost: x\r\n\r\n`],
    ['a path of 100 kB', `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nhost: x\r\n\r\n`],
  ]
}

/** Writes invalid upgrades of the connection. */
function upgradeAttacks(path: string): NamedTexts {
  return [
    [
      'an upgrade to nothing',
      `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: nothing\r\n\r\n`,
    ],
    [
      'a WebSocket without a key',
      `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`,
    ],
    [
      'a WebSocket of version 1',
      `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 1\r\n\r\n`,
    ],
  ]
}

/** Writes incomplete requests. */
function incompleteAttacks(path: string, request: WriteRequest): NamedTexts {
  return [
    ['a body that never comes', request(['content-length: 1000'], '{')],
    ['half a request', `POST ${path} HT`],
    ['nothing but line feeds', '\r\n'.repeat(5_000)],
    ['TLS to a port without TLS', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000'],
  ]
}

function compressionBomb(request: WriteRequest): RawAttack {
  const bomb = gzipSync(Buffer.alloc(200_000_000, ' '), { level: 9 })
  const head = request(['content-encoding: gzip', `content-length: ${bomb.length}`])
  return {
    name: 'a body of 200 MB, compressed to 200 kB',
    bytes: Buffer.concat([Buffer.from(head), bomb]),
    maxResponses: 1,
  }
}
