/** JSON without white space between its parts, and with each text in the same spelling. */
export function compactJson(text: string): string {
  return text.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, (_, string?: string) =>
    string === undefined ? '' : spelling(string),
  )
}

function spelling(string: string): string {
  try {
    return JSON.stringify(JSON.parse(string))
  } catch {
    return string
  }
}

/** The text without what is new each time: the present time, keys that are drawn, and ports. */
export function maskVolatile(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\.\d{4,}(?:[+-]\d\d(?::?\d\d)?|Z)?/g, '<now>')
    .replaceAll(/\b([a-z]+)_(?!([0-9a-z])\2{31})[0-9a-f]{32}\b/g, '$1_<id>')
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, '<url>')
}
