import { connectionFailure } from './request-error.ts'

/** How long a request may take. */
const TIMEOUT_MS = 30_000

export type Sending = {
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: object
  /** Aborts the request. */
  signal?: AbortSignal | undefined
  /** True if the request may change something. The message of a failure says so. */
  isChange?: boolean
}

/** A response with its parsed JSON; null if the body is not JSON. */
export type Reply<Body> = { ok: boolean; status: number; body: Body | null }

/**
 * Sends a request to the platform. The browser adds the session cookie. The caller checks the body.
 *
 * @throws RequestError if there is no response: at once if the browser is offline, and after 30 seconds at the latest
 */
export async function send<Body = unknown>(path: string, sending: Sending): Promise<Reply<Body>> {
  const { method = 'POST', headers, body, signal: cancelled, isChange = false } = sending
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  const wasOnline = navigator.onLine
  try {
    const response = await fetch(path, {
      method,
      credentials: 'same-origin',
      headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
      body: body ? JSON.stringify(body) : null,
      signal: cancelled ? AbortSignal.any([cancelled, timeout]) : timeout,
    })
    return { ok: response.ok, status: response.status, body: readJson(await response.text()) }
  } catch (cause) {
    throw connectionFailure(cause, {
      isCancelled: cancelled?.aborted ?? false,
      isLate: timeout.aborted,
      // A browser that is offline from the beginning sends nothing.
      isUnsent: !(wasOnline || navigator.onLine),
      isOffline: !navigator.onLine,
      isChange,
    })
  }
}

function readJson<Body>(text: string): Body | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
