/** A POST with a JSON body, and an API key where one is needed. */
export type Post = { url: string; body: object; apiKey?: string }

export type Reply = { status: number; body: unknown }

/** A GET, which has no body. */
export type Get = Omit<Post, 'body'>

/** Sends a POST request, and prints it and its answer for a person to read. */
export function postAndShow({ url, body, apiKey }: Post): Promise<Reply> {
  return fetchAndShow({ method: 'POST', url, apiKey, body })
}

/** Sends a GET request, and prints it and its answer for a person to read. */
export function getAndShow({ url, apiKey }: Get): Promise<Reply> {
  return fetchAndShow({ method: 'GET', url, apiKey })
}

type Exchange = { method: string; url: string; apiKey: string | undefined; body?: object }

async function fetchAndShow({ method, url, apiKey, body }: Exchange): Promise<Reply> {
  console.info(`   ${method} ${url}`)
  if (apiKey) console.info(`   Authorization: Bearer ${shortenText(apiKey)}`)
  if (body) console.info(indentJson(body))
  const response = await fetch(url, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(apiKey && { authorization: `Bearer ${apiKey}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  }).catch((cause: unknown) => {
    throw new Error(`There is no answer at ${url}. Is npm start running?`, { cause })
  })
  const reply: Reply = { status: response.status, body: await response.json() }
  console.info(` → ${reply.status}`)
  console.info(indentJson(reply.body))
  return reply
}

function indentJson(value: unknown): string {
  const text = JSON.stringify(
    value,
    (_key, part: unknown) => (isLong(part) ? shortenText(part) : part),
    2,
  )
  // GraphQL queries are shown with their line breaks and quotes.
  return text.replaceAll('\\n', '\n').replaceAll('\\"', '"').replaceAll(/^/gm, '   ')
}

function isLong(part: unknown): part is string {
  return typeof part === 'string' && part.startsWith('0x') && part.length > 80
}

function shortenText(text: string): string {
  return `${text.slice(0, 22)}… (${text.length} characters)`
}
