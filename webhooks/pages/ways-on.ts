import type { Express, Response } from 'express'

/** A page of the portal, and what the button says that leads there. */
export type Way = { path: string; text: string }

/** The first page of the portal: it asks people to log in, where they are not. */
export const PORTAL_HOME = { path: '/', text: 'Continue' }

/** The same, for who is lost. */
export const START_AGAIN = { path: '/', text: 'To the start page' }

/** Where another link for a forgotten password is asked for. */
export const ASK_FOR_PASSWORD_LINK = { path: '/forgot-password', text: 'Ask for another link' }

/** After the log-in, the portal offers to send another link to whoever is not verified. */
export const ASK_FOR_VERIFICATION_LINK = { path: '/', text: 'Ask for another link' }

/** Where a change of address begins. */
export const CHANGE_ADDRESS_AGAIN = { path: '/account', text: 'Begin again' }

/** The team that a person has joined; whoever is logged in as somebody else is told so there. */
export function wayToTeam(teamId: string): Way {
  return { path: `/teams/${encodeURIComponent(teamId)}`, text: 'Continue to the team' }
}

/** Remembers whether this server also serves the portal, to which its other pages then lead. */
export function rememberPortal(web: Express, isServed: boolean): void {
  web.set('portal', isServed)
}

/** Whether the server that answers also serves the portal. */
export function hasPortal(response: Response): boolean {
  return response.app.enabled('portal')
}
