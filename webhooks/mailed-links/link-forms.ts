import { type Html, html } from '../../lib/design/html.ts'
import type { MailedLink } from './mailed-link.ts'

type Form = MailedLink & {
  /** The target of the form, relative to the page. */
  path: string
  /** The text of the button. */
  text: string
}

/** Returns a form with a button, below the account's address if given. Mail scanners follow links, but press no buttons. */
export function buttonForm({ path, token, text }: Form, email?: string): Html {
  const account = email === undefined ? null : accountField(email)
  return linkForm(path, token, html`${account}<button>${text}</button>`)
}

/** Returns a form for a new password of the account with this address. */
export function newPasswordForm({ path, token, text }: Form, email: string): Html {
  const fields = html`${accountField(email)}${NEW_PASSWORD}<button>${text}</button>`
  return linkForm(path, token, fields)
}

/** Returns a form for a new account with this address. `name` is the name from an earlier attempt. */
export function newAccountForm({ path, token, text }: Form, email: string, name = ''): Html {
  const fields = html`${accountField(email)}<label>Name<input name="name" value="${name}" autocomplete="name" maxlength="128" required></label>${NEW_PASSWORD}<button>${text}</button>`
  return linkForm(path, token, fields)
}

/** Returns a form for the current password of the account with this address. */
export function currentPasswordForm({ path, token, text }: Form, email: string): Html {
  const fields = html`${accountField(email)}<label>Password<input type="password" name="password" autocomplete="current-password" required></label><button>${text}</button>`
  return linkForm(path, token, fields)
}

/** Returns a form for the current password, and below it a form for a new password. */
export function passwordForms({ path, token, text }: Form, email: string): Html {
  const choice = html`<details><summary>You do not know the password?</summary><p>Reset the password. This logs out the person who signed up with your address, and the old password stops working.</p>${newPasswordForm({ path, token, text: 'Reset my password' }, email)}</details>`
  return html`${currentPasswordForm({ path, token, text }, email)}${choice}`
}

const NEW_PASSWORD = html`<label>New password<input type="password" name="new_password" autocomplete="new-password" minlength="8" maxlength="200" required></label>`

/** Shows the account to the user and to the password manager. */
function accountField(email: string): Html {
  return html`<label>Account<input type="email" value="${email}" autocomplete="username" readonly></label>`
}

function linkForm(path: string, token: string, fields: Html): Html {
  return html`<form method="post" action="${path}"><input type="hidden" name="token" value="${token}">${fields}</form>`
}
