import type { ApiError, ErrorCode } from '../../lib/errors.ts'
import { escapeHtml, type RenderedPage } from '../../lib/http/html.ts'
import { renderDocument } from './document.ts'

const TITLE = 'This sign-in cannot go on'

/** What to tell a person about our errors; null where the error's own message is written for them. */
const FOR_PEOPLE: Partial<Record<ErrorCode, string | null>> = {
  sign_in_expired: null,
  rate_limited: 'Too many attempts. Wait a minute, then reload this page.',
  unavailable: 'Signing in does not work just now. Wait a minute, then reload this page.',
  internal_error: 'Something went wrong on our side. Go back and try again.',
  not_found: 'There is no such page. Go back and begin again.',
}

/** For every other error: the app has made a mistake, about which the person can do nothing. */
const MISTAKE_OF_THE_APP =
  'The app that sent you here has asked for a sign-in in a way that does not work. Go back, and tell the people who run it.'

/** A page that tells a person that a sign-in cannot go on, what to do, and what to tell the app's developers. */
export function renderErrorPage({ code, message }: ApiError): RenderedPage {
  const known = FOR_PEOPLE[code]
  const body =
    known === undefined ? mistakeOfTheApp(message) : `<p>${escapeHtml(known ?? message)}</p>`
  return renderDocument({
    title: TITLE,
    body: `<main><h1>${escapeHtml(TITLE)}</h1>${body}</main>`,
    connectTo: [],
  })
}

function mistakeOfTheApp(message: string): string {
  return `<p>${escapeHtml(MISTAKE_OF_THE_APP)}</p><p class="note">For developers: ${escapeHtml(message)}</p>`
}
