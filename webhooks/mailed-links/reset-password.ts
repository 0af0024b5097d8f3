import { ASK_FOR_PASSWORD_LINK, PORTAL_HOME } from '../pages/portal-links.ts'
import { newPasswordForm } from './link-forms.ts'
import { createMailboxPages } from './mailbox-pages.ts'

/** The page for a forgotten password: the owner of the mailbox chooses a new password, which ends all logins. */
export const { ask: askForNewPassword, submit: resetPassword } = createMailboxPages({
  summaries: {
    ask: 'The page behind the link for a forgotten password',
    submit: 'Reset the password with the form behind the link',
  },
  acceptsOwner: ({ kind }) => kind === 'reset_password',
  page: ({ token }, { email }) => ({
    title: 'Reset your password',
    text: 'This logs you out everywhere.',
    form: newPasswordForm({ path: 'reset-password', token, text: 'Reset my password' }, email),
  }),
  donePage: {
    title: 'Your password has changed',
    text: 'You can close this page and log in with the new password.',
    portalLink: PORTAL_HOME,
  },
  expiredPage: {
    status: 400,
    title: 'This link no longer works',
    text: 'A link works once, within an hour. Ask for a new link on the login page.',
    portalLink: ASK_FOR_PASSWORD_LINK,
  },
})
