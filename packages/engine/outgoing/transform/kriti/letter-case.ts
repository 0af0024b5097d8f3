// Like Haskell's `text`, these functions map each character separately, without regard to language or context. JavaScript's own
// functions map a Greek sigma at the end of a word differently.

/** Converts all letters to lower case. */
export function lowerCase(text: string): string {
  return mapCharacters(text, (character) => character.toLowerCase())
}

/** Converts all letters to upper case. */
export function upperCase(text: string): string {
  return mapCharacters(text, (character) => character.toUpperCase())
}

/** Folds the case of all letters, for a comparison that ignores case. */
export function foldCase(text: string): string {
  return mapCharacters(text, (character) => {
    if (character === DOTLESS_I) return character
    const capital = character.toLowerCase().toUpperCase()
    return CHEROKEE.test(character) ? capital : capital.toLowerCase()
  })
}

/** This letter and `i` have the same upper case. */
const DOTLESS_I = 'ı'

/** Unicode folds these letters to upper case. */
const CHEROKEE = /[\u13a0-\u13fd\uab70-\uabbf]/

/**
 * Converts the first letter of each word to upper case, and its other letters to lower case. White space separates words:
 * `o'neil-SMITH` becomes `O'neil-smith`.
 */
export function titleCase(text: string): string {
  return text.replace(
    /(\P{L}*)(\p{L})(\S*)/gu,
    (_all, before: string, first: string, rest: string) => {
      const [capital = '', ...otherCapitals] = first.toUpperCase()
      return `${before}${capital}${lowerCase(otherCapitals.join('') + rest)}`
    },
  )
}

function mapCharacters(text: string, change: (character: string) => string): string {
  return Array.from(text, change).join('')
}
