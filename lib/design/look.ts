import { readFileSync } from 'node:fs'
import { type Html, html } from './html.ts'

/** Colours, corners and fonts alone, as CSS. */
export const TOKENS_SHEET = readSheets('tokens.css')

/** The look of pages that are plain HTML, as CSS: the tokens, and what all such pages share. */
export const PAGE_SHEET = readSheets('tokens.css', 'page.css')

/** The same, and what pages with forms, lists and code have besides. */
export const DOCUMENT_SHEET = readSheets('tokens.css', 'page.css', 'document.css')

const LOGO = `data:image/svg+xml;base64,${readFileSync(new URL('logo.svg', import.meta.url), 'base64')}`

/** The logo as a page's icon; needs `img-src data:`, and makes browsers ask for no `/favicon.ico`. */
export const ICON = html`<link rel="icon" type="image/svg+xml" href="${LOGO}">`

/**
 * The logo and the name above a page's content; needs `img-src data:`.
 *
 * @param home where they lead; null where there is nothing to go to
 */
export function brandHeader(home: string | null): Html {
  const brand = html`<img src="${LOGO}" alt="" width="32" height="32">Personhood`
  const linked = home === null ? brand : html`<a href="${home}">${brand}</a>`
  return html`<header class="brand">${linked}</header>`
}

function readSheets(...names: string[]): string {
  return names.map((name) => readFileSync(new URL(name, import.meta.url), 'utf8')).join('\n')
}
