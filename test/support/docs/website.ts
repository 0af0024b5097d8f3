import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished } from 'vitest'

type Start = { command: readonly string[]; env: Record<string, string>; port: number }

/** Starts a website that runs until the end of the test. Waits until it responds; returns a function that requests its pages. */
export async function startWebsite({ command: [command = '', ...words], env, port }: Start) {
  const { PATH = '' } = process.env
  const website = spawn(command, words, {
    env: { PATH, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  onTestFinished(async () => {
    if (website.exitCode !== null) return
    website.kill()
    await once(website, 'exit')
  })
  const browse = createBrowser(`http://localhost:${port}`)
  await expect.poll(() => browse('/').then(({ status }) => status, String)).toBeOneOf([200, 302])
  return browse
}

export type Browse = ReturnType<typeof createBrowser>
type Init = { method?: string; headers?: Record<string, string>; form?: Record<string, string> }

/**
 * Creates a function that requests pages of a website. The function keeps cookies, and does not follow redirects.
 *
 * It does not use `fetch`, which sends `sec-fetch-mode: cors`. Apache's OpenID module treats such requests as a script's, and
 * does not redirect them.
 */
export function createBrowser(origin: string) {
  const cookies = new Map<string, string>()
  return async (target: string, { method = 'GET', headers = {}, form }: Init = {}) => {
    const cookie = [...cookies].map(([key, value]) => `${key}=${value}`).join('; ')
    const type = form && { 'content-type': 'application/x-www-form-urlencoded' }
    const outgoing = request(new URL(target, origin), {
      method,
      headers: { accept: 'text/html', ...(cookie && { cookie }), ...type, ...headers },
    })
    outgoing.end(form && String(new URLSearchParams(form)))
    const [response] = await once(outgoing, 'response')
    for (const line of response.headers['set-cookie'] ?? []) {
      const [, key = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(key, value)
    }
    const { statusCode: status, headers: responseHeaders } = response
    return { status, location: responseHeaders.location ?? '', text: await text(response) }
  }
}
