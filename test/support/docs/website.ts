import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished } from 'vitest'

type Start = { command: readonly string[]; env: Record<string, string>; port: number }

/** Starts a website, until the end of the test; resolves to a browser of it, as soon as it answers. */
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
  const browse = browserOf(`http://localhost:${port}`)
  await expect.poll(() => browse('/').then(({ status }) => status, String)).toBeOneOf([200, 302])
  return browse
}

export type Browse = ReturnType<typeof browserOf>
type Init = { method?: string; headers?: Record<string, string>; form?: Record<string, string> }

/**
 * A browser that keeps cookies, and does not follow redirects.
 *
 * Not with `fetch`, which tells the website that a script asks: Apache's module answers scripts no redirect.
 */
export function browserOf(origin: string) {
  const cookies = new Map<string, string>()
  return async (target: string, { method = 'GET', headers = {}, form }: Init = {}) => {
    const cookie = [...cookies].map(([key, value]) => `${key}=${value}`).join('; ')
    const type = form && { 'content-type': 'application/x-www-form-urlencoded' }
    const sent = request(new URL(target, origin), {
      method,
      headers: { accept: 'text/html', ...(cookie && { cookie }), ...type, ...headers },
    })
    sent.end(form && String(new URLSearchParams(form)))
    const [response] = await once(sent, 'response')
    for (const line of response.headers['set-cookie'] ?? []) {
      const [, key = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(key, value)
    }
    const { statusCode: status, headers: answered } = response
    return { status, location: answered.location ?? '', text: await text(response) }
  }
}
