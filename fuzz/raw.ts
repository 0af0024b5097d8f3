import { gzipSync } from 'node:zlib'

/** Bytes for a socket, and how many answers they may get at most. */
export type RawAttack = { name: string; bytes: string | Buffer; atMost: number }

/** The request that is smuggled behind another: a server that is deceived answers it as well. */
const SMUGGLED = 'POST /api/_jwk-gen HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n'

/**
 * Requests whose framing two programs may read differently (RFC 9112, section 11.2), and others that no client would
 * send.
 */
export function rawAttacks(path: string): RawAttack[] {
  const head = (lines: readonly string[], body = '') =>
    [`POST ${path} HTTP/1.1`, 'host: x', 'content-type: application/json', ...lines, '', body].join(
      '\r\n',
    )
  const chunked = `0\r\n\r\n${SMUGGLED}`
  const texts: [string, string][] = [
    [
      'content-length and transfer-encoding',
      head(['content-length: 6', 'transfer-encoding: chunked'], chunked),
    ],
    [
      'transfer-encoding and content-length',
      head(['transfer-encoding: chunked', 'content-length: 6'], chunked),
    ],
    ['two lengths', head(['content-length: 0', `content-length: ${SMUGGLED.length}`], SMUGGLED)],
    ['two lengths in one', head([`content-length: 0, ${SMUGGLED.length}`], SMUGGLED)],
    ['a length with a sign', head(['content-length: +2'], '{}')],
    ['a length with a space before the colon', head(['content-length : 2'], '{}')],
    ['a length in hexadecimal', head(['content-length: 0x2'], '{}')],
    ['a negative length', head(['content-length: -1'], '{}')],
    ['a length past 2^64', head([`content-length: ${'9'.repeat(30)}`], '{}')],
    [
      'chunked, obfuscated by a tab',
      head(['transfer-encoding:\tchunked\t', 'content-length: 6'], chunked),
    ],
    ['xchunked', head(['transfer-encoding: xchunked'], chunked)],
    ['chunked twice', head(['transfer-encoding: chunked', 'transfer-encoding: identity'], chunked)],
    ['chunked, folded', head(['transfer-encoding:', ' chunked'], chunked)],
    ['a folded header', head(['x-a: b', ' c', 'content-length: 2'], '{}')],
    ['a header with a bare line feed', head(['x-a: b\ncontent-length: 2'], '{}')],
    ['a header with a bare carriage return', head(['x-a: b\rcontent-length: 2'], '{}')],
    ['a header with a zero byte', head(['x-a: b\0c', 'content-length: 2'], '{}')],
    [
      'a chunk of a size that overflows',
      head(['transfer-encoding: chunked'], 'fffffffffffffffff\r\n{}'),
    ],
    [
      'a chunk with an extension at length',
      head(['transfer-encoding: chunked'], `2;${'a'.repeat(50_000)}\r\n{}\r\n0\r\n\r\n`),
    ],
    ['two hosts', head(['host: y', 'content-length: 2'], '{}')],
    ['no host', `GET ${path} HTTP/1.1\r\n\r\n`],
    [
      'two credentials',
      head(['authorization: Bearer a', 'authorization: Bearer b', 'content-length: 2'], '{}'),
    ],
    [
      'the absolute form, of another host',
      `POST http://evil.example${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}`,
    ],
    [
      'the absolute form, of the cloud’s own',
      'GET http://169.254.169.254/latest/meta-data/ HTTP/1.1\r\nhost: x\r\n\r\n',
    ],
    ['a tunnel', 'CONNECT 127.0.0.1:5432 HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['the asterisk form', 'OPTIONS * HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['HTTP/0.9', `GET ${path}\r\n`],
    ['HTTP/9.9', `GET ${path} HTTP/9.9\r\nhost: x\r\n\r\n`],
    ['a path of 100 kB', `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nhost: x\r\n\r\n`],
    ['a header of 100 kB', head([`x-a: ${'a'.repeat(100_000)}`, 'content-length: 2'], '{}')],
    ['three thousand headers', head([...Array(3_000).keys()].map((i) => `x-${i}: a`))],
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
    ['a body that never comes', head(['content-length: 1000'], '{')],
    ['half a request', `POST ${path} HT`],
    ['nothing but line feeds', '\r\n'.repeat(5_000)],
    ['TLS, to a port without', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000'],
  ]
  const bomb = gzipSync(Buffer.alloc(200_000_000, ' '), { level: 9 })
  return [
    ...texts.map(([name, text]) => ({ name, bytes: Buffer.from(text, 'latin1'), atMost: 1 })),
    {
      name: 'a body of 200 MB, compressed to 200 kB',
      bytes: Buffer.concat([
        Buffer.from(head(['content-encoding: gzip', `content-length: ${bomb.length}`])),
        bomb,
      ]),
      atMost: 1,
    },
  ]
}
