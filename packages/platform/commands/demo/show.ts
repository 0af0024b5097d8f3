import { formatCommandLine } from '../../../../local/process/format-command-line.ts'

/** A POST with a JSON body and optional keys. A request with an idempotency key can be retried. */
export type Post = { url: string; body: object; apiKey?: string; idempotencyKey?: string }

export type Reply = { status: number; body: unknown }

export type Get = Omit<Post, 'body' | 'idempotencyKey'>

/** Sends a POST request, and prints the request and the response. */
export function postAndShow(post: Post): Promise<Reply> {
  return fetchAndShow({ method: 'POST', ...post })
}

/** Sends a GET request, and prints the request and the response. */
export function getAndShow(get: Get): Promise<Reply> {
  return fetchAndShow({ method: 'GET', ...get })
}

type Exchange = Get & Partial<Post> & { method: string }

async function fetchAndShow(exchange: Exchange): Promise<Reply> {
  const { method, url, apiKey, idempotencyKey, body } = exchange
  console.info(`   ${method} ${url}`)
  if (apiKey) console.info(`   Authorization: Bearer ${shortenText(apiKey)}`)
  if (idempotencyKey) console.info(`   Idempotency-Key: ${idempotencyKey}`)
  if (body) console.info(indentJson(body))
  const response = await fetch(url, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(apiKey && { authorization: `Bearer ${apiKey}` }),
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
    },
    ...(body && { body: JSON.stringify(body) }),
  }).catch((cause: unknown) => {
    throw new Error(
      `${url} does not answer. Start the platform with ${formatCommandLine('start')}.`,
      {
        cause,
      },
    )
  })
  const reply: Reply = { status: response.status, body: await response.json() }
  console.info(` → ${reply.status}`)
  const replayed = response.headers.get('idempotent-replayed')
  if (replayed) console.info(`   Idempotent-Replayed: ${replayed}`)
  console.info(indentJson(reply.body))
  return reply
}

function indentJson(value: unknown): string {
  const text = JSON.stringify(
    value,
    (_key, part: unknown) => (isLong(part) ? shortenText(part) : part),
    2,
  )
  // Replaces the escapes in GraphQL queries by line breaks and quotes, so that people can read the queries.
  return text.replaceAll('\\n', '\n').replaceAll('\\"', '"').replaceAll(/^/gm, '   ')
}

function isLong(part: unknown): part is string {
  return typeof part === 'string' && part.startsWith('0x') && part.length > 80
}

function shortenText(text: string): string {
  return `${text.slice(0, 22)}… (${text.length} characters)`
}
