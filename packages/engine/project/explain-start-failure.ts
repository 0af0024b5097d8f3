import { z } from 'zod'
import { ownValue } from '../json/own-value.ts'

/** What whoever starts an engine can do, in sentences. */
export type Remedies = {
  /** A database cannot be reached, or refuses. */
  database: string
  /** The engine's address cannot be listened on. */
  address: string
}

/**
 * The error of a start with what to do about it, where it is one of the usual ones; any other stays as it is.
 *
 * @param error of the operating system, of PostgreSQL, or of ours
 */
export function explainStartFailure(error: unknown, { database, address }: Remedies): unknown {
  const { code, syscall, message, errors } = partsOf(error)
  if (syscall === 'listen') return new Error(`${message}. ${address}`, { cause: error })
  if (UNREACHABLE.has(code) && ['connect', 'getaddrinfo', ''].includes(syscall)) {
    // Of a name with several addresses only the errors of each say anything.
    const reason = message || errors.map((each) => partsOf(each).message).join(', ')
    return new Error(`The database cannot be reached: ${reason}. ${database}`, { cause: error })
  }
  if (REFUSALS.test(code))
    return new Error(`The database refuses: ${message}. ${database}`, { cause: error })
  const [, extension] = MISSING_EXTENSION.exec(message) ?? []
  if (extension !== undefined)
    return new Error(`${message}. ${installing(extension)}`, { cause: error })
  return error
}

/** PostgreSQL has no code of its own for it. */
const MISSING_EXTENSION = /extension "([^"]+)" is not available/

function installing(extension: string): string {
  const suffix = ownValue(DEBIAN_SUFFIXES, extension) ?? extension.replaceAll('_', '-')
  return `Use a PostgreSQL that has it, by --database-url URL: for version NN, Debian has the package postgresql-NN-${suffix}.`
}

/** How the names of Debian's packages end, where that is not the extension's name. */
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

/** Codes of PostgreSQL: who connects is unknown, or the database is, or there are too many connections. */
const REFUSALS = /^(28...|3D000|53300)$/

/** Test runners that have a realm of their own, such as jest, throw errors that are no instances of ours. */
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
