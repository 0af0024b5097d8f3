import { ASK_FOR_VERIFICATION_LINK, PORTAL_HOME } from '../pages/ways-on.ts'
import { passwordForms } from './link-forms.ts'
import { createMailboxPages } from './mailbox-pages.ts'

/**
 * Verifying an address asks for the password, since whoever signed up with somebody else's address must not keep the
 * account: its owner chooses another password, and all other logins end.
 */
export const { ask: askToVerifyEmail, submit: verifyEmail } = createMailboxPages({
  summaries: {
    ask: 'The page that the link for verifying an address leads to',
    submit: "Verify an e-mail address: what the page's forms send",
  },
  isFor: ({ kind, user }) => kind === 'verify_email' && user.email_verified_at === null,
  page: ({ token }, { email }) => ({
    title: 'Verify your e-mail address',
    text: 'Somebody signed up with your e-mail address. If it was you, enter the password that you chose.',
    form: passwordForms({ path: 'verify-email', token, text: 'Verify my address' }, email),
  }),
  done: {
    title: 'Your address is verified',
    text: 'You can close this page and continue where you signed up, or log in.',
    way: PORTAL_HOME,
  },
  over: {
    status: 400,
    title: 'This link no longer works',
    text: 'A link works once, within 24 hours. If your address is not verified yet, ask for a new link.',
    way: ASK_FOR_VERIFICATION_LINK,
  },
})
