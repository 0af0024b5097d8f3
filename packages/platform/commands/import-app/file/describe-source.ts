import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { pipeline } from 'node:stream/promises'

const LONGEST_URL = 512

/**
 * Describes the source of an import for the audit trail: the service that the file was downloaded from, and the name and the
 * hash of the file. The hash tells an auditor which of two files with the same name was imported.
 */
export async function describeSource(path: string, downloadedFrom?: string): Promise<string> {
  const digest = createHash('sha256')
  await pipeline(createReadStream(path), digest)
  const name = basename(path).replaceAll(/[\p{Cc}\u2028\u2029]/gu, ' ')
  const service = downloadedFrom === undefined ? [] : [withoutCredentials(downloadedFrom)]
  return [...service, name, `SHA-256 ${digest.digest('hex')}`].join(', ')
}

/** Leaves out the parts of a URL that may contain a secret. */
function withoutCredentials(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`.slice(0, LONGEST_URL)
}
