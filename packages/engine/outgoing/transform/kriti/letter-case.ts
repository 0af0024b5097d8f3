// As in Haskell's `text`: one character after the other, whatever the language and the characters around it.
// JavaScript's own functions write a Greek sigma at the end of a word differently.

/** All letters as small ones. */
export function lowerCase(text: string): string {
  return mapCharacters(text, (character) => character.toLowerCase())
}

/** All letters as capitals. */
export function upperCase(text: string): string {
  return mapCharacters(text, (character) => character.toUpperCase())
}

/** Text in which the case of letters makes no difference. */
export function foldCase(text: string): string {
  return mapCharacters(text, (character) => {
    if (character === DOTLESS_I) return character
    const capital = character.toLowerCase().toUpperCase()
    return CHEROKEE.test(character) ? capital : capital.toLowerCase()
  })
}

/** Its capital is that of another letter. */
const DOTLESS_I = 'ı'

/** Unicode folds these letters to their capitals. */
const CHEROKEE = /[\u13a0-\u13fd\uab70-\uabbf]/

/**
 * The first letter of each word as a capital, the letters after it as small ones. Words are separated by white space:
 * `o'neil-SMITH` is `O'neil-smith`.
 */
export function titleCase(text: string): string {
  return text.replace(
    /(\P{L}*)(\p{L})(\S*)/gu,
    (_all, before: string, first: string, rest: string) => {
      const [capital = '', ...more] = first.toUpperCase()
      return `${before}${capital}${lowerCase(more.join('') + rest)}`
    },
  )
}

function mapCharacters(text: string, change: (character: string) => string): string {
  return Array.from(text, change).join('')
}
