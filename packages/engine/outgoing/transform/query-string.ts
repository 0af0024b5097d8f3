import { escapeUri } from './kriti/functions.ts'

/** A parameter of a URL. Its value is null if it has no `=`. */
export type QueryParameter = readonly [name: string, value: string | null]

/** Parses the parameters of a URL, with or without the question mark. A name may occur more than once. */
export function parseQuery(search: string): QueryParameter[] {
  const text = search.replace(/^\?/, '')
  if (text === '') return []
  return text.split(/[&;]/).map((parameter) => {
    // URLSearchParams removes a question mark at the beginning of its text. Because of the `&`, a name may begin with one.
    const [[name, value] = ['', '']] = new URLSearchParams(`&${parameter}`)
    return [name, parameter.includes('=') ? value : null]
  })
}

/** Replaces all parameters of a URL. */
export function withQuery(url: string, parameters: readonly QueryParameter[]): string {
  const newUrl = new URL(url)
  newUrl.search = parameters.map(renderParameter).join('&')
  return newUrl.href
}

function renderParameter([name, value]: QueryParameter): string {
  return value === null ? escapeUri(name) : `${escapeUri(name)}=${escapeUri(value)}`
}
