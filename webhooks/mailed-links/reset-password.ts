import { ASK_FOR_PASSWORD_LINK, PORTAL_HOME } from '../pages/ways-on.ts'
import { newPasswordForm } from './link-forms.ts'
import { createMailboxPages } from './mailbox-pages.ts'

/** For a forgotten password: whoever has the mailbox chooses another, which ends all logins. */
export const { ask: askForNewPassword, submit: resetPassword } = createMailboxPages({
  summaries: {
    ask: 'The page that the link for a forgotten password leads to',
    submit: "Choose another password: what the page's form sends",
  },
  isFor: ({ kind }) => kind === 'reset_password',
  page: ({ token }, { email }) => ({
    title: 'Choose another password',
    text: 'Wherever you are logged in, you will have to log in again.',
    form: newPasswordForm({ path: 'reset-password', token, text: 'Change my password' }, email),
  }),
  done: {
    title: 'Your password is changed',
    text: 'You can close this page and log in with it.',
    way: PORTAL_HOME,
  },
  over: {
    status: 400,
    title: 'This link no longer works',
    text: 'A link works once, within an hour. Ask for a new one where you log in.',
    way: ASK_FOR_PASSWORD_LINK,
  },
})
