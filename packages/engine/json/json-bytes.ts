import { exactJsonOrNull } from './json-or-null.ts'

/** The value of a JSON text, or a description of its fault. */
export type ParsedBytes = { value: unknown } | { fault: string }

/** Parses JSON. Describes syntax faults in the words of aeson, Hasura's JSON parser. */
export function parseJsonBytes(bytes: Buffer): ParsedBytes {
  const fault = syntaxFault(bytes)
  if (fault !== null) return { fault }
  const text = bytes.toString()
  const value = exactJsonOrNull(text)
  return value === null && text.trim() !== 'null' ? { fault: 'nested too deeply' } : { value }
}

/** The token that may come next, in aeson's words. */
type ExpectedToken =
  | 'JSON value'
  | 'JSON value or ]'
  | ', or ]'
  | 'record key literal or }'
  | 'record key literal'
  | ':'
  | ', or }'
  | 'end-of-input'

/**
 * Returns the first fault of a text; null if there is none. Keeps the open brackets in a list, so that deep nesting
 * does not exhaust the call stack.
 */
function syntaxFault(bytes: Buffer): string | null {
  const openBrackets: ('[' | '{')[] = []
  // latin1 makes a character of each byte.
  const text = bytes.toString('latin1')
  let expected: ExpectedToken = 'JSON value'
  let position = skipSpace(bytes, 0)
  for (; position < bytes.length; position = skipSpace(bytes, position)) {
    const length = tokenLength(text, position, expected)
    if (length === 0)
      return `Unexpected ${haskellString(bytes.subarray(position))}, expecting ${expected}`
    expected = expectedAfter(text.charAt(position), expected, openBrackets)
    position += length
  }
  return expected === 'end-of-input' ? null : `Unexpected end-of-input, expecting ${expected}`
}

function skipSpace(bytes: Buffer, start: number): number {
  let position = start
  while (SPACE.has(bytes[position] ?? 0)) position += 1
  return position
}

const SPACE: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])

/** Returns the length of the token at `position`; zero if no token that is allowed here begins there. */
function tokenLength(text: string, position: number, expected: ExpectedToken): number {
  const token = TOKENS[expected]
  if (token === null) return 0
  token.lastIndex = position
  const [match = ''] = token.exec(text) ?? []
  return match.length
}

/** The characters between two escapes. They contain no backslash, so the time of a match grows linearly. */
const PLAIN = String.raw`[^"\\\x00-\x1f]*`
const STRING = String.raw`"${PLAIN}(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})${PLAIN})*"`
const VALUE = String.raw`${STRING}|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[[{]`

const TOKENS: Readonly<Record<ExpectedToken, RegExp | null>> = {
  'JSON value': new RegExp(VALUE, 'y'),
  'JSON value or ]': new RegExp(`${VALUE}|]`, 'y'),
  ', or ]': /[,\]]/y,
  'record key literal or }': new RegExp(`${STRING}|}`, 'y'),
  'record key literal': new RegExp(STRING, 'y'),
  ':': /:/y,
  ', or }': /[,}]/y,
  'end-of-input': null,
}

function expectedAfter(
  token: string,
  expected: ExpectedToken,
  openBrackets: ('[' | '{')[],
): ExpectedToken {
  if (token === '[' || token === '{') {
    openBrackets.push(token)
    return token === '[' ? 'JSON value or ]' : 'record key literal or }'
  }
  if (token === ',') return openBrackets.at(-1) === '{' ? 'record key literal' : 'JSON value'
  if (token === ':') return 'JSON value'
  if (expected.startsWith('record key') && token !== '}') return ':'
  if (token === ']' || token === '}') openBrackets.pop()
  const outer = openBrackets.at(-1)
  if (outer === undefined) return 'end-of-input'
  return outer === '[' ? ', or ]' : ', or }'
}

/** The maximum number of bytes of the remaining text that a message shows. */
const MAX_SHOWN_BYTES = 30

/** Returns bytes as Haskell prints a string; `\&` ends an escape that the next character would continue. */
function haskellString(bytes: Buffer): string {
  const characters = [...bytes.subarray(0, MAX_SHOWN_BYTES)].map(haskellByte)
  const escaped = characters.map((character, i) => {
    const next = characters[i + 1] ?? ''
    const continues =
      (/^\\\d/.test(character) && /^\d/.test(next)) || (character === '\\SO' && next === 'H')
    return continues ? `${character}\\&` : character
  })
  return `"${escaped.join('')}"`
}

function haskellByte(byte: number): string {
  const character = String.fromCharCode(byte)
  if (character === '"' || character === '\\') return `\\${character}`
  if (byte >= 0x20 && byte < 0x7f) return character
  return `\\${byte === 0x7f ? 'DEL' : (CONTROLS[byte] ?? byte)}`
}

/** The names of control characters in Haskell. */
const CONTROLS: readonly string[] =
  'NUL SOH STX ETX EOT ENQ ACK a b t n v f r SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(
    ' ',
  )
