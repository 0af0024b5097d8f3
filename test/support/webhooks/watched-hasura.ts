import { once } from 'node:events'
import { createServer } from 'node:http'

type FixedAnswer = { operation: string; status: number; body: object }

/**
 * Starts a proxy in front of Hasura. The proxy records the name of each operation, and can answer
 * one operation instead of Hasura.
 */
export async function watchedHasura(endpoint: string) {
  const operations: string[] = []
  let fixedAnswer: FixedAnswer | null = null
  const server = createServer(async (request, response) => {
    const body = (await request.setEncoding('utf8').toArray()).join('')
    const [, name = ''] = /(?:query|mutation) (\w+)/.exec(body) ?? []
    operations.push(name)
    if (fixedAnswer?.operation === name) {
      response.writeHead(fixedAnswer.status, { 'content-type': 'application/json' })
      return void response.end(JSON.stringify(fixedAnswer.body))
    }
    const { host, connection, 'content-length': length, ...headers } = request.headers
    const answer = await fetch(endpoint + request.url, {
      method: 'POST',
      headers: Object.entries(headers).map(([key, value]) => [key, String(value)]),
      body,
    })
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(await answer.text())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    operations,
    set answerInstead(answer: FixedAnswer | null) {
      fixedAnswer = answer
    },
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}
