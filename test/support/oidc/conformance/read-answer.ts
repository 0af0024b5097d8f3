import { expect } from 'vitest'
import type { Flow } from './flows.ts'

/**
 * Reads the parameters that the browser brings to the relying party. Fails if a parameter is in the wrong part of the
 * response.
 */
export async function readAnswer(
  back: Response,
  flow: Flow,
  redirectUri: string,
): Promise<Record<string, string>> {
  if (flow.formPost) return readPostedForm(back, redirectUri)
  const location = new URL(back.headers.get('location') ?? '')
  expect(location.href.startsWith(redirectUri)).toBe(true)
  if (flow.responseType === 'code') {
    expect(location.hash).toBe('')
    return Object.fromEntries(location.searchParams)
  }
  expect(location.search).toBe(new URL(redirectUri).search)
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)))
}

/** Reads the hidden fields of the HTML form that the browser posts to the relying party. */
async function readPostedForm(back: Response, redirectUri: string) {
  expect(back.headers.get('content-type')).toMatch(/^text\/html/)
  const html = await back.text()
  const [, action] = /<form method="post" action="([^"]+)"/.exec(html) ?? []
  expect(action).toBe(redirectUri)
  const inputs = html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)
  return Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, readHtml(value)]))
}

/** Decodes HTML text. The sign-in server writes only numeric character references. */
function readHtml(text: string): string {
  return text.replaceAll(/&#(\d+);/g, (_written, code: string) =>
    String.fromCodePoint(Number(code)),
  )
}
