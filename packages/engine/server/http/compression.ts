import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** A body as it is sent, its length in bytes, and the headers that describe its encoding. */
export type EncodedBody = {
  body: string | Buffer
  length: number
  headers: Readonly<Record<string, string>>
}

/** Compresses a string if the client accepts that and the string is long enough for it to be worthwhile. */
export async function compressBody(
  body: string | Buffer,
  accepted: string | undefined,
): Promise<EncodedBody> {
  const length = Buffer.byteLength(body)
  if (typeof body !== 'string' || length < MIN_COMPRESSED_BYTES)
    return { body, length, headers: {} }
  const encoding = chooseEncoding(accepted)
  if (!encoding) return { body, length, headers: {} }
  const bytes = await encoding.compress(Buffer.from(body))
  const headers = { 'Content-Encoding': encoding.name, Vary: 'Accept-Encoding' }
  return { body: bytes, length: bytes.length, headers }
}

const MIN_COMPRESSED_BYTES = 860

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)

type Encoding = { name: string; compress(bytes: Buffer): Promise<Buffer> }

/**
 * In the order of preference. At these levels, compressing takes about as much time as a fast network saves by the
 * smaller size.
 */
const ENCODINGS: readonly Encoding[] = [
  {
    name: 'br',
    compress: (bytes) => compressBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }),
  },
  { name: 'gzip', compress: (bytes) => compressGzip(bytes, { level: 3 }) },
]

function chooseEncoding(accepted: string | undefined): Encoding | undefined {
  if (accepted === undefined) return undefined
  const names = accepted.split(',').map((part) => part.trim().toLowerCase())
  const taken = names
    .filter((name) => !/;\s*q=0(\.0*)?$/.test(name))
    .map((name) => name.split(';')[0])
  return ENCODINGS.find(({ name }) => taken.includes(name))
}
