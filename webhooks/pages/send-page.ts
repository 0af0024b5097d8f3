import type { Response } from 'express'
import { escapeHtml, type RenderedPage } from '../../lib/http/html.ts'
import { pagePolicy, styledPage } from '../../lib/http/styled-page.ts'

const POLICY = pagePolicy({ formAction: "'self'" })

export type Page = {
  status?: number
  title: string
  text: string
  /** HTML; every value in it consists of known, harmless characters. */
  form?: string
}

/** A small page: no script, nothing loaded from elsewhere, light or dark as people prefer. */
export function renderPage({ title, text, form = '' }: Page): RenderedPage {
  const html = styledPage({ title, body: `<p>${escapeHtml(text)}</p>${form}`, layout: 'card' })
  return { html, headers: { 'content-security-policy': POLICY } }
}

/** Answers with such a page. */
export function sendPage(response: Response, page: Page): void {
  const { html, headers } = renderPage(page)
  response
    .status(page.status ?? 200)
    .set(headers)
    .type('html')
    .send(html)
}
