/** One request; any part of it may be invalid. */
export type Attack = {
  /** The campaign that sends the request. Faults are counted by campaign. */
  campaign: string
  /** The operation of the OpenAPI document that the request reaches, such as `post /token`; null or missing if none. */
  operation?: string | null
  method: string
  path: string
  headers: Record<string, string>
  body: string | Buffer | null
}

/** A response. `text` has the headers and the body. */
export type RawResponse = { status: number; text: string; ms: number }

/** A response parsed as HTTP. `type` is the media type without parameters. */
export type HttpResponse = RawResponse & { type: string; body: string }

/** A response that no request may cause. */
export type Fault = { attack: Attack; description: string; answer: string }

/** The longest time that a response may take. */
const MAX_RESPONSE_MS = 12_000

/**
 * Describes the fault in a response, or returns null.
 *
 * @param secrets texts that must never leave the platform
 */
export function findFault(answer: RawResponse | Error, secrets: readonly string[]): string | null {
  if (answer instanceof Error) return `no answer: ${answer.message}`
  if (answer.status >= 500 && answer.status !== 503) return `status ${answer.status}`
  if (answer.ms > MAX_RESPONSE_MS) return `${Math.round(answer.ms)} ms`
  const secret = secrets.findIndex((text) => answer.text.includes(text))
  if (secret >= 0) return `contains secret number ${secret}`
  const leak = LEAKS.find((pattern) => pattern.test(answer.text))
  return leak ? `reveals internals: ${leak.exec(answer.text)?.[0]}` : null
}

/** Stack traces, paths, SQL errors and socket errors. They help only attackers. */
const LEAKS = [
  /\bat (?:async )?\S+ \((?:file|node):/,
  /node_modules\//,
  /\/(?:webhooks|oidc|engine|verification|lib)\/[\w/-]+\.ts/,
  /syntax error at or near/,
  /\b(?:ECONNREFUSED|ECONNRESET|EPIPE)\b/,
]
