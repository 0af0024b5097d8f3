import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import { finished } from 'node:stream/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createUnreadAnswers } from '../../../webhooks/proxy/unread-answers.ts'

// A response larger than the buffers of the operating system.
const MB = 1_000_000
const ANSWER = Buffer.alloc(20 * MB)

let server: Server
let port: number

beforeEach(async () => {
  const unread = createUnreadAnswers({ maxBytes: 100 * MB, maxBytesPerCaller: 60 * MB })
  server = createServer((httpRequest, response) => {
    unread.count(String(httpRequest.headers.authorization), response, ANSWER.length)
    response.end(ANSWER)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = Object(server.address()).port
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

/** Sends a request, and does not read the response until it is resumed. */
async function requestAnswer(authorization: string): Promise<IncomingMessage> {
  const clientRequest = request({
    port,
    host: '127.0.0.1',
    headers: { authorization },
    agent: false,
  }).end()
  const [answer]: IncomingMessage[] = await once(clientRequest, 'response')
  if (!answer) throw new Error('no answer')
  answer.on('error', () => {})
  return answer.pause()
}

/** Counts the bytes that arrive until the response ends or is cut off. */
async function readAll(answer: IncomingMessage): Promise<number> {
  let bytes = 0
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  answer.resume()
  await finished(answer).catch(() => {})
  return bytes
}

/** Reports which of the responses arrived whole. */
async function areWhole(answers: readonly IncomingMessage[]): Promise<boolean[]> {
  const byteCounts = await Promise.all(answers.map(readAll))
  return byteCounts.map((bytes) => bytes === ANSWER.length)
}

test('a caller that leaves too many bytes unread loses its oldest responses', async () => {
  const answers = [
    await requestAnswer('a'),
    await requestAnswer('a'),
    await requestAnswer('a'),
    await requestAnswer('a'),
    await requestAnswer('a'),
  ]
  expect(await areWhole(answers)).toEqual([false, false, true, true, true])
})

test('if all callers together leave too many bytes unread, the caller with the most unread bytes loses a response', async () => {
  const smallCallers = [await requestAnswer('b'), await requestAnswer('c')]
  const largeCaller = [await requestAnswer('a'), await requestAnswer('a'), await requestAnswer('a')]
  expect(await areWhole([await requestAnswer('d'), ...smallCallers, ...largeCaller])).toEqual([
    true,
    true,
    true,
    false,
    true,
    true,
  ])
})

test('a response that was read no longer counts as unread', async () => {
  for (let i = 0; i < 8; i++) expect(await areWhole([await requestAnswer('a')])).toEqual([true])
})
