import { connect } from 'node:net'

/** Longer than any call of the platform or its tests takes. */
const MAX_WAIT_MS = 60_000

/** More than the state of a chain with a long history. */
const MAX_ANSWER_CHARACTERS = 100_000_000

/**
 * Sends a JSON-RPC request, or a batch, to anvil's Unix socket, on a connection of its own.
 *
 * anvil writes nothing between two answers, so the answer is complete once it is JSON.
 *
 * @param signal ends the wait
 * @returns the answer as anvil wrote it
 * @throws Error when anvil gives no answer
 */
export function askAnvil(path: string, request: string, signal?: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path, ...(signal && { signal }) })
    let answer = ''
    const fail = (reason: string) => socket.destroy(new Error(`The local chain ${reason}.`))
    socket.setTimeout(MAX_WAIT_MS, () => fail(`gave no answer in ${MAX_WAIT_MS / 1000} s`))
    socket.setEncoding('utf8').on('data', (text: string) => {
      answer += text
      if (answer.length > MAX_ANSWER_CHARACTERS) fail('gave an answer that is too long')
      if (!isJson(answer)) return
      resolve(answer)
      socket.destroy()
    })
    socket.on('end', () => fail('closed the connection without an answer'))
    socket.on('error', reject)
    socket.write(request)
  })
}

/** An incomplete answer seldom ends like a complete one, so it is seldom parsed in vain. */
function isJson(text: string): boolean {
  if (!/[}\]]\s*$/.test(text.slice(-10))) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
