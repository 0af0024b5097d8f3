import { escapeUri } from './kriti/functions.ts'

/** A parameter of a URL; its value is null if it is written without `=`. */
export type QueryParameter = readonly [name: string, value: string | null]

/** Parses the part of a URL after the path, or parameters without the question mark. A name may occur more than once. */
export function parseQuery(search: string): QueryParameter[] {
  const text = search.replace(/^\?/, '')
  if (text === '') return []
  return text.split(/[&;]/).map((parameter) => {
    // The leading `&` keeps a question mark at the beginning of a name.
    const [[name, value] = ['', '']] = new URLSearchParams(`&${parameter}`)
    return [name, parameter.includes('=') ? value : null]
  })
}

/** The URL with these parameters in the place of its own. */
export function withQuery(url: string, parameters: readonly QueryParameter[]): string {
  const changed = new URL(url)
  changed.search = parameters.map(renderParameter).join('&')
  return changed.href
}

function renderParameter([name, value]: QueryParameter): string {
  return value === null ? escapeUri(name) : `${escapeUri(name)}=${escapeUri(value)}`
}
