import { ASK_FOR_VERIFICATION_LINK, PORTAL_HOME } from '../pages/portal-links.ts'
import { passwordForms } from './link-forms.ts'
import { createMailboxPages } from './mailbox-pages.ts'

/**
 * The page that verifies an address. It asks for the password, because a stranger may have signed up with the address.
 * Then the owner of the address does not know the password, and chooses a new one. A new password ends all logins.
 */
export const { ask: askToVerifyEmail, submit: verifyEmail } = createMailboxPages({
  summaries: {
    ask: 'The page behind the link that verifies an address',
    submit: 'Verify an e-mail address with the form behind the link',
  },
  acceptsOwner: ({ kind, user }) => kind === 'verify_email' && user.email_verified_at === null,
  page: ({ token }, { email }) => ({
    title: 'Verify your e-mail address',
    text: 'Your e-mail address was used to sign up. If it was you, enter the password that you chose.',
    form: passwordForms({ path: 'verify-email', token, text: 'Verify my address' }, email),
  }),
  donePage: {
    title: 'Your address is verified',
    text: 'You can close this page and continue where you signed up, or log in.',
    portalLink: PORTAL_HOME,
  },
  expiredPage: {
    status: 400,
    title: 'This link no longer works',
    text: 'A link works once, within 24 hours. If your address is not verified yet, ask for a new link.',
    portalLink: ASK_FOR_VERIFICATION_LINK,
  },
})
