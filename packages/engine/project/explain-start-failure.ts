import { z } from 'zod'
import { ownValue } from '../json/own-value.ts'

/** Advice for the user, in sentences. */
export type Remedies = {
  /** For a database that cannot be reached, or rejects the connection. */
  database: string
  /** For an address that the engine cannot listen on. */
  address: string
  /** For an extension that the server does not have. */
  extension?: string
}

/**
 * Adds advice to the usual errors of a start. Returns any other error unchanged.
 *
 * @param error from the operating system, PostgreSQL or the engine
 */
export function explainStartFailure(
  error: unknown,
  { database, address, extension: otherServer = OTHER_SERVER }: Remedies,
): unknown {
  const { code, syscall, message, errors } = partsOf(error)
  if (syscall === 'listen') return new Error(`${message}. ${address}`, { cause: error })
  if (UNREACHABLE.has(code) && ['connect', 'getaddrinfo', ''].includes(syscall)) {
    // If a name has several addresses, the error has no message, only a list of errors.
    const reason = message || errors.map((each) => partsOf(each).message).join(', ')
    return new Error(`Cannot reach the database: ${reason}. ${database}`, { cause: error })
  }
  if (REFUSALS.test(code))
    return new Error(`The database rejects the connection: ${message}. ${database}`, {
      cause: error,
    })
  const [, extension] = MISSING_EXTENSION.exec(message) ?? []
  if (extension !== undefined)
    return new Error(`${message}. ${otherServer} ${debianPackage(extension)}`, { cause: error })
  return error
}

/** PostgreSQL's message for an extension that is not installed on its machine. The error has no specific code. */
const MISSING_EXTENSION = /extension "([^"]+)" is not available/

const OTHER_SERVER = 'Use a PostgreSQL that has it, with --database-url URL.'

function debianPackage(extension: string): string {
  const suffix = ownValue(DEBIAN_SUFFIXES, extension) ?? extension.replaceAll('_', '-')
  return `Debian's package for PostgreSQL NN is postgresql-NN-${suffix}.`
}

/** The suffixes of Debian's package names, for extensions with another suffix than the extension's name with hyphens. */
const DEBIAN_SUFFIXES: Readonly<Record<string, string>> = {
  pg_cron: 'cron',
  pg_partman: 'partman',
  pg_repack: 'repack',
  pg_similarity: 'similarity',
  postgis: 'postgis-3',
  postgis_raster: 'postgis-3',
  postgis_sfcgal: 'postgis-3',
  postgis_tiger_geocoder: 'postgis-3',
  postgis_topology: 'postgis-3',
  vector: 'pgvector',
}

const UNREACHABLE: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
])

/** PostgreSQL's codes for failed authentication, an unknown database, and too many connections. */
const REFUSALS = /^(28...|3D000|53300)$/

/** Reads an error without `instanceof`, which fails for errors from another realm, for example in jest. */
function partsOf(error: unknown): z.infer<typeof Parts> {
  return Parts.parse(typeof error === 'object' && error !== null ? error : {})
}

const text = () => z.string().catch('')
const Parts = z.object({
  code: text(),
  syscall: text(),
  message: text(),
  errors: z.array(z.unknown()).catch([]),
})
