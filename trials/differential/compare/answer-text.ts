/** Removes the white space between the parts of JSON, and escapes each string in the same way. */
export function compactJson(text: string): string {
  return text.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, (_, string?: string) =>
    string === undefined ? '' : normalizeString(string),
  )
}

function normalizeString(string: string): string {
  try {
    return JSON.stringify(JSON.parse(string))
  } catch {
    return string
  }
}

/** Replaces the parts of a text that differ in every run: the current time, random keys and ports. */
export function maskVolatile(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\.\d{4,}(?:[+-]\d\d(?::?\d\d)?|Z)?/g, '<now>')
    .replaceAll(/\b([a-z]+)_(?!([0-9a-z])\2{31})[0-9a-f]{32}\b/g, '$1_<id>')
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, '<url>')
}
