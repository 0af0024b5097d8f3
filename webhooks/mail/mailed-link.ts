import { z } from 'zod'
import type { ApiError } from '../../lib/errors.ts'
import type { Page } from '../pages/send-page.ts'

/** What a mailed link carries, and the form on its page: 32 bytes as base64url. */
export const MailedLinkInput = z.object({ token: z.string().regex(/^[\w-]{43}$/) })

export type MailedLink = z.infer<typeof MailedLinkInput>

/** The one button on a link's page: mail scanners follow links, but only a person presses it. */
export function buttonForm(path: string, { token }: MailedLink, text: string): string {
  return `<form method="post" action="${path}"><input type="hidden" name="token" value="${token}"><button>${text}</button></form>`
}

/** How errors are shown; a malformed request comes from a link that was not copied whole. */
export function linkErrorPage({ status, code }: ApiError): Page {
  if (code === 'rate_limited')
    return { title: 'Too many tries', text: 'Wait a minute, then follow the link again.' }
  if (status >= 500)
    return { title: 'That did not work', text: 'Your link still works: try again shortly.' }
  return {
    title: 'This link is not complete',
    text: 'Copy the whole link from the e-mail, or ask for a new one.',
  }
}
