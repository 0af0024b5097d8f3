import { LRUCache } from 'lru-cache'

/**
 * Sorts items in the order of Hasura's hash maps. Hasura reads the members of an input object, and lists names in
 * messages, in this order. The order decides which of two errors Hasura reports. The order was derived from Hasura's
 * responses.
 *
 * @see https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md XXH3, 64 bits, seed 0
 */
export function inHashOrder<T>(items: Iterable<T>, nameOf: (item: T) => string): T[] {
  const all = [...items]
  const sortedItems = all
    .slice(0, MAX_ORDERED)
    .map((item) => ({ item, key: mapPosition(nameOf(item)) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)))
    .map(({ item }) => item)
  return [...sortedItems, ...all.slice(MAX_ORDERED)]
}

/**
 * The maximum number of items that are sorted, which is also the maximum number of columns of a table. The limit saves
 * time, because a hash takes some microseconds and a request may have many unknown names.
 */
const MAX_ORDERED = 1_600

function mapPosition(name: string): string {
  const cachedPosition = positions.get(name)
  if (cachedPosition !== undefined) return cachedPosition
  const position = treePosition(name)
  positions.set(name, position)
  return position
}

/** The positions of names, cached because names recur in the schemas of all roles. */
const positions = new LRUCache<string, string>({ max: 10_000 })

/**
 * Returns the position of a name in a tree with 32 branches per node. Each node uses five bits of the hash, the lowest
 * first.
 */
function treePosition(name: string): string {
  const bits = xxh3(Buffer.from(name)).toString(2).padStart(65, '0')
  const groups = Array.from({ length: 13 }, (_, i) => bits.slice(60 - 5 * i, 65 - 5 * i))
  return groups.join('')
}

/** Returns XXH3 of the first 64 bytes of a text. A name in PostgreSQL has at most 63 bytes. */
function xxh3(text: Buffer): bigint {
  const { length } = text
  if (length > 64) return xxh3(text.subarray(0, 64))
  if (length > 16) return hashLong(text)
  if (length > 8) return hashUpTo16(text)
  if (length > 3) return hashUpTo8(text)
  if (length === 0) return avalancheShort(secret(56) ^ secret(64))
  const byte = (offset: number) => BigInt(text.readUInt8(offset))
  const all = (byte(0) << 16n) | (byte(length >> 1) << 24n) | byte(length - 1) | BigInt(length << 8)
  return avalancheShort(all ^ ((secret(0) ^ (secret(0) >> 32n)) & MASK_32))
}

function hashUpTo8(text: Buffer): bigint {
  const [first, last] = [text.readUInt32LE(0), text.readUInt32LE(text.length - 4)]
  const keyed = (BigInt(last) + (BigInt(first) << 32n)) ^ secret(8) ^ secret(16)
  const mixed = ((keyed ^ rotate(keyed, 49n) ^ rotate(keyed, 24n)) * PRIME_MIX_2) & MASK
  const again = ((mixed ^ ((mixed >> 35n) + BigInt(text.length))) * PRIME_MIX_2) & MASK
  return again ^ (again >> 28n)
}

function hashUpTo16(text: Buffer): bigint {
  const low = text.readBigUInt64LE(0) ^ secret(24) ^ secret(32)
  const high = text.readBigUInt64LE(text.length - 8) ^ secret(40) ^ secret(48)
  return avalanche(BigInt(text.length) + swapBytes(low) + high + foldedProduct(low, high))
}

function hashLong(text: Buffer): bigint {
  const { length } = text
  const mix = (offset: number, key: number) =>
    foldedProduct(
      text.readBigUInt64LE(offset) ^ secret(key),
      text.readBigUInt64LE(offset + 8) ^ secret(key + 8),
    )
  const pairs = Array.from(
    { length: Math.ceil(length / 32) },
    (_, i) => mix(16 * i, 32 * i) + mix(length - 16 * (i + 1), 32 * i + 16),
  )
  return avalanche(pairs.reduce((sum, pair) => sum + pair, BigInt(length) * PRIME_1))
}

const MASK = (1n << 64n) - 1n
const MASK_32 = (1n << 32n) - 1n
const PRIME_1 = 0x9e3779b185ebca87n
const PRIME_2 = 0xc2b2ae3d27d4eb4fn
const PRIME_3 = 0x165667b19e3779f9n
const PRIME_MIX_1 = 0x165667919e3779f9n
const PRIME_MIX_2 = 0x9fb21c651e98df25n

/** The beginning of the specification's default secret. */
const SECRET = Buffer.from(
  'b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c',
  'hex',
)

function secret(offset: number): bigint {
  return SECRET.readBigUInt64LE(offset)
}

function avalancheShort(hash: bigint): bigint {
  const first = ((hash ^ (hash >> 33n)) * PRIME_2) & MASK
  const second = ((first ^ (first >> 29n)) * PRIME_3) & MASK
  return second ^ (second >> 32n)
}

function avalanche(sum: bigint): bigint {
  const hash = sum & MASK
  const mixed = ((hash ^ (hash >> 37n)) * PRIME_MIX_1) & MASK
  return mixed ^ (mixed >> 32n)
}

function foldedProduct(a: bigint, b: bigint): bigint {
  const product = a * b
  return (product & MASK) ^ (product >> 64n)
}

function rotate(value: bigint, bitCount: bigint): bigint {
  return ((value << bitCount) | (value >> (64n - bitCount))) & MASK
}

function swapBytes(value: bigint): bigint {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return bytes.readBigUInt64BE(0)
}
