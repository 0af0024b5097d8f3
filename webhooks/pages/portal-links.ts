import type { Express, Response } from 'express'

/** A page of the portal, and the text of the button for it. */
export type PortalLink = { path: string; text: string }

/** The portal's start page. Without a login it shows the login form. */
export const PORTAL_HOME = { path: '/', text: 'Continue' }

/** A link from an error page to the portal's start page. */
export const START_AGAIN = { path: '/', text: 'Go to the start page' }

export const ASK_FOR_PASSWORD_LINK = { path: '/forgot-password', text: 'Ask for another link' }

/** After the login the portal offers unverified users another link. */
export const ASK_FOR_VERIFICATION_LINK = { path: '/', text: 'Ask for another link' }

export const CHANGE_ADDRESS_AGAIN = { path: '/account', text: 'Start again' }

/** Returns the link to the team that a user joined. For other users the portal shows its page "not found". */
export function linkToTeam(teamId: string): PortalLink {
  return { path: `/teams/${encodeURIComponent(teamId)}`, text: 'Continue to the team' }
}

/** Records in the app whether this server serves the portal. If it does, other pages link to the portal. */
export function rememberPortal(web: Express, isServed: boolean): void {
  web.set('portal', isServed)
}

/** True if the server also serves the portal. */
export function hasPortal(response: Response): boolean {
  return response.app.enabled('portal')
}
