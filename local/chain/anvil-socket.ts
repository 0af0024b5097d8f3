import { connect } from 'node:net'

/** A call fails if anvil sends nothing for this time. No call of the platform or its tests takes as long. */
const MAX_WAIT_MS = 60_000

/** The maximum size of a response, larger than the state of a chain with a long history. */
const MAX_ANSWER_CHARACTERS = 100_000_000

/**
 * Sends a JSON-RPC request or a batch to anvil's Unix socket, on a new connection.
 *
 * anvil writes neither a length nor a separator, so a response is complete once it is valid JSON.
 *
 * @param signal aborts the call
 * @returns the text of the response
 * @throws Error if anvil does not respond, if the response is too large, or if the call is aborted
 */
export function askAnvil(path: string, request: string, signal?: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path, ...(signal && { signal }) })
    let answer = ''
    const fail = (reason: string) => socket.destroy(new Error(`The local chain ${reason}.`))
    socket.setTimeout(MAX_WAIT_MS, () => fail(`did not respond within ${MAX_WAIT_MS / 1000} s`))
    socket.setEncoding('utf8').on('data', (text: string) => {
      answer += text
      if (answer.length > MAX_ANSWER_CHARACTERS)
        fail(`sent a response of more than ${MAX_ANSWER_CHARACTERS} characters`)
      if (!isJson(answer)) return
      resolve(answer)
      socket.destroy()
    })
    socket.on('end', () => fail('closed the connection without a response'))
    socket.on('error', reject)
    socket.write(request)
  })
}

/**
 * Reports whether a response is complete. Checks its last characters first, so that incomplete responses are seldom
 * parsed.
 */
function isJson(text: string): boolean {
  if (!/[}\]]\s*$/.test(text.slice(-10))) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
