import { z } from 'zod'

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
  return error
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
