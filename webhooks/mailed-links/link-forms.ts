import { type Html, html } from '../../lib/design/html.ts'
import type { MailedLink } from './mailed-link.ts'

type Form = MailedLink & {
  /** Where it is sent, relative to the page. */
  path: string
  /** Of the button. */
  text: string
}

/** The one button on a link's page: mail scanners follow links, but only a person presses it. */
export function buttonForm({ path, token, text }: Form, email?: string): Html {
  const account = email === undefined ? null : accountField(email)
  return linkForm(path, token, html`${account}<button>${text}</button>`)
}

/** A form for another password of the account with this address. */
export function newPasswordForm({ path, token, text }: Form, email: string): Html {
  const fields = html`${accountField(email)}${NEW_PASSWORD}<button>${text}</button>`
  return linkForm(path, token, fields)
}

/** A form for a new account with this address; `name` is what was entered before, if anything was. */
export function newAccountForm({ path, token, text }: Form, email: string, name = ''): Html {
  const fields = html`${accountField(email)}<label>Name<input name="name" value="${name}" autocomplete="name" maxlength="128" required></label>${NEW_PASSWORD}<button>${text}</button>`
  return linkForm(path, token, fields)
}

/** A form for the password of the account with this address. */
export function knownPasswordForm({ path, token, text }: Form, email: string): Html {
  const fields = html`${accountField(email)}<label>Password<input type="password" name="password" autocomplete="current-password" required></label><button>${text}</button>`
  return linkForm(path, token, fields)
}

/** The same, and below it one for choosing another. */
export function passwordForms({ path, token, text }: Form, email: string): Html {
  const choice = html`<details><summary>You do not know the password?</summary><p>Choose another. Whoever signed up with your address is logged out, and can no longer log in.</p>${newPasswordForm({ path, token, text: 'Choose this password' }, email)}</details>`
  return html`${knownPasswordForm({ path, token, text }, email)}${choice}`
}

const NEW_PASSWORD = html`<label>New password<input type="password" name="new_password" autocomplete="new-password" minlength="8" maxlength="200" required></label>`

/** Tells the person, and their password manager, which account this is about. */
function accountField(email: string): Html {
  return html`<label>Account<input type="email" value="${email}" autocomplete="username" readonly></label>`
}

function linkForm(path: string, token: string, fields: Html): Html {
  return html`<form method="post" action="${path}"><input type="hidden" name="token" value="${token}">${fields}</form>`
}
