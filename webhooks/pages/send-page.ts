import type { Response } from 'express'
import { escapeHtml } from '../../lib/http/html.ts'
import { STYLE_SOURCE, styledPage } from '../../lib/http/styled-page.ts'

const POLICY = [
  "default-src 'none'",
  `style-src ${STYLE_SOURCE}`,
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

export type Page = {
  status?: number
  title: string
  text: string
  /** HTML; every value in it consists of known, harmless characters. */
  form?: string
}

/** Answers with a small page: no script, nothing loaded from elsewhere, light or dark as people prefer. */
export function sendPage(response: Response, { status = 200, title, text, form = '' }: Page): void {
  response
    .status(status)
    .set('content-security-policy', POLICY)
    .type('html')
    .send(styledPage({ title, body: `<p>${escapeHtml(text)}</p>${form}`, layout: 'card' }))
}
