import { readFileSync } from 'node:fs'
import { type Html, html } from './html.ts'

/** The CSS of colours, corners and fonts. */
export const TOKENS_SHEET = readSheets('tokens.css')

/** The CSS of all plain HTML pages. */
export const PAGE_SHEET = readSheets('tokens.css', 'page.css')

/** The CSS of plain HTML pages with forms, lists and code. */
export const DOCUMENT_SHEET = readSheets('tokens.css', 'page.css', 'document.css')

const LOGO = `data:image/svg+xml;base64,${readFileSync(new URL('logo.svg', import.meta.url), 'base64')}`

/** The logo as a page's icon, so that browsers do not request `/favicon.ico`. Needs `img-src data:`. */
export const ICON = html`<link rel="icon" type="image/svg+xml" href="${LOGO}">`

/**
 * Makes the header of a page, with the logo and the name. Needs `img-src data:`.
 *
 * @param home the URL that the logo links to; null for no link
 */
export function brandHeader(home: string | null): Html {
  const brand = html`<img src="${LOGO}" alt="" width="32" height="32">Personhood`
  const content = home === null ? brand : html`<a href="${home}">${brand}</a>`
  return html`<header class="brand">${content}</header>`
}

function readSheets(...names: string[]): string {
  return names.map((name) => readFileSync(new URL(name, import.meta.url), 'utf8')).join('\n')
}
