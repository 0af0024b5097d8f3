import { readFileSync, writeFileSync } from 'node:fs'
import { gunzipSync, gzipSync } from 'node:zlib'
import { z } from 'zod'
import { World } from '../worlds/world.ts'

/** An operation with the response of a Hasura. A mutation also has the rows of all tables after it. */
const RecordedOperation = z.object({
  role: z.string().default(''),
  kind: z.enum(['query', 'mutation', 'introspection']),
  headers: z.record(z.string(), z.string()),
  body: z.unknown(),
  status: z.number(),
  text: z.string(),
  tables: z.string().optional(),
  /** True if the rows of the response have a defined order. */
  isOrdered: z.boolean().default(true),
})

/** A world with the responses of a Hasura. Before each mutation, the rows of the world were restored. */
const Recording = z.object({
  world: World.extend({ remote: z.unknown().optional() }),
  rows: z.array(RecordedOperation),
})

export type RecordedOperation = z.infer<typeof RecordedOperation>
export type Recording = { world: World; rows: readonly RecordedOperation[] }

const RecordingFile = z.union([
  z.object({ recordings: z.array(Recording) }).transform(({ recordings }) => recordings),
  Recording.transform((recording) => [recording]),
])

/**
 * Reads a file of recordings. The file is JSON, compressed by gzip: `{"recordings": [{world, rows}, …]}`, or one `{world, rows}`.
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

/** Writes a file of recordings. */
export function writeRecordings(file: string, recordings: readonly Recording[]): void {
  writeFileSync(file, gzipSync(JSON.stringify({ recordings })))
}
