import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** An encoded body, its lengths in bytes, and the headers that describe its encoding. */
export type EncodedBody = {
  body: string | Buffer
  length: number
  /** The length in bytes before the compression. */
  originalLength: number
  headers: Readonly<Record<string, string>>
}

/** Compresses a string if the client accepts compression and the string is long enough. */
export async function compressBody(
  body: string | Buffer,
  acceptEncoding: string | undefined,
): Promise<EncodedBody> {
  const originalLength = Buffer.byteLength(body)
  const unchanged = { body, length: originalLength, originalLength, headers: {} }
  if (typeof body !== 'string' || originalLength < MIN_COMPRESSED_BYTES) return unchanged
  const encoding = chooseEncoding(acceptEncoding)
  if (!encoding) return unchanged
  const bytes = await encoding.compress(Buffer.from(body))
  const headers = { 'Content-Encoding': encoding.name, Vary: 'Accept-Encoding' }
  return { body: bytes, length: bytes.length, originalLength, headers }
}

const MIN_COMPRESSED_BYTES = 860

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)

type Encoding = { name: string; compress(bytes: Buffer): Promise<Buffer> }

/**
 * The encodings, best first. At these levels, compression takes about as much time as a fast network saves with the smaller size.
 */
const ENCODINGS: readonly Encoding[] = [
  {
    name: 'br',
    compress: (bytes) => compressBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }),
  },
  { name: 'gzip', compress: (bytes) => compressGzip(bytes, { level: 3 }) },
]

function chooseEncoding(acceptEncoding: string | undefined): Encoding | undefined {
  if (acceptEncoding === undefined) return undefined
  const entries = acceptEncoding.split(',').map((part) => part.trim().toLowerCase())
  const names = entries
    .filter((entry) => !/;\s*q=0(\.0*)?$/.test(entry))
    .map((entry) => entry.split(';')[0])
  return ENCODINGS.find(({ name }) => names.includes(name))
}
