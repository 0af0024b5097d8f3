import { readFileSync, writeFileSync } from 'node:fs'
import { gunzipSync, gzipSync } from 'node:zlib'
import { z } from 'zod'
import { World } from '../worlds/world.ts'

/** An operation, and what a Hasura answered; with the rows of all tables afterwards, if it may have changed them. */
const Recorded = z.object({
  role: z.string().default(''),
  kind: z.enum(['query', 'mutation', 'introspection']),
  headers: z.record(z.string(), z.string()),
  body: z.unknown(),
  status: z.number(),
  text: z.string(),
  tables: z.string().optional(),
  /** Whether the rows of the answer have one order only. */
  isOrdered: z.boolean().default(true),
})

/** A world, and what a Hasura answered in it. Each operation that changes rows began with those of the world. */
const Recording = z.object({
  world: World.extend({ remote: z.unknown().optional() }),
  rows: z.array(Recorded),
})

export type Recorded = z.infer<typeof Recorded>
export type Recording = { world: World; rows: readonly Recorded[] }

const RecordingFile = z.union([
  z.object({ recordings: z.array(Recording) }).transform(({ recordings }) => recordings),
  Recording.transform((one) => [one]),
])

/**
 * Reads a file of recordings, JSON compressed by gzip: `{"recordings": [{world, rows}, …]}`, or one of them.
 *
 * @throws Error that names the file
 */
export function readRecordings(file: string): z.infer<typeof RecordingFile> {
  try {
    return RecordingFile.parse(JSON.parse(gunzipSync(readFileSync(file)).toString()))
  } catch (cause) {
    throw new Error(`${file} is no recording.`, { cause })
  }
}

/** Writes such a file. */
export function writeRecordings(file: string, recordings: readonly Recording[]): void {
  writeFileSync(file, gzipSync(JSON.stringify({ recordings })))
}
