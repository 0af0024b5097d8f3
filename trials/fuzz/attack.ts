/** One request, of which nothing need be valid. */
export type Attack = {
  /** Faults are counted by this name. */
  campaign: string
  /** The described operation that it reaches, such as `post /token`; null or missing where there is none. */
  operation?: string | null
  method: string
  path: string
  headers: Record<string, string>
  body: string | Buffer | null
}

/** `text` is all of it, headers too. */
export type Answer = { status: number; text: string; ms: number }

/** An answer that was read as HTTP has it. `type` is the media type, without its parameters. */
export type HttpAnswer = Answer & { type: string; body: string }

/** An answer that no request may ever cause. */
export type Fault = { attack: Attack; what: string; answer: string }

/** No answer may take longer; every time-out inside the platform is shorter. */
const SLOW_MS = 12_000

/**
 * What is wrong with an answer, or null.
 *
 * @param secrets texts that must never leave the platform
 */
export function faultInAnswer(answer: Answer | Error, secrets: readonly string[]): string | null {
  if (answer instanceof Error) return `no answer: ${answer.message}`
  if (answer.status >= 500 && answer.status !== 503) return `status ${answer.status}`
  if (answer.ms > SLOW_MS) return `${Math.round(answer.ms)} ms`
  const secret = secrets.findIndex((text) => answer.text.includes(text))
  if (secret >= 0) return `tells secret number ${secret}`
  const leak = LEAKS.find((pattern) => pattern.test(answer.text))
  return leak ? `tells what is inside: ${leak.exec(answer.text)?.[0]}` : null
}

/** Stack traces, paths and SQL, which help only attackers. */
const LEAKS = [
  /\bat (?:async )?\S+ \((?:file|node):/,
  /node_modules\//,
  /\/(?:webhooks|oidc|engine|verification|lib)\/[\w/-]+\.ts/,
  /syntax error at or near/,
  /\b(?:ECONNREFUSED|ECONNRESET|EPIPE)\b/,
]
