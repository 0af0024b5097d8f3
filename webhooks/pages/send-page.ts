import type { Response } from 'express'
import { type Html, html } from '../../lib/design/html.ts'
import { pagePolicy, styledPage } from '../../lib/design/styled-page.ts'
import type { RenderedPage } from '../../lib/runtime/http/error-answer.ts'
import { hasPortal, PORTAL_HOME, type PortalLink } from './portal-links.ts'

const POLICY = pagePolicy({ formAction: "'self'" })

export type Page = {
  status?: number
  title: string
  text: string
  /** True if the text is about an error in the entered values. */
  isMistake?: boolean
  form?: Html
  /** A link to a page of the portal. The page shows it only if this server serves the portal. */
  portalLink?: PortalLink
  /** The id for support requests, if the server failed. */
  requestId?: string
}

/** Renders a small page without scripts and external files, light or dark as the user prefers. */
export function renderPage(page: Page, response: Response): RenderedPage {
  const { title, text, isMistake = false, form = null, requestId } = page
  const portalLink = page.portalLink && hasPortal(response) ? linkButton(page.portalLink) : null
  const report = requestId ? html`<p><small>Request id: ${requestId}</small></p>` : null
  const paragraph = isMistake ? html`<p role="alert">${text}</p>` : html`<p>${text}</p>`
  const document = styledPage({
    title,
    body: html`${paragraph}${form}${report}${portalLink}`,
    layout: 'card',
    home: hasPortal(response) ? PORTAL_HOME.path : null,
  })
  return { html: document, headers: { 'content-security-policy': POLICY } }
}

/** Sends a small page as the response. */
export function sendPage(response: Response, page: Page): void {
  const { html: document, headers } = renderPage(page, response)
  response
    .status(page.status ?? 200)
    .set(headers)
    .type('html')
    .send(document)
}

function linkButton({ path, text }: PortalLink): Html {
  return html`<p><a class="button" href="${path}">${text}</a></p>`
}
