import type { ExperimentalFeature } from '../../config/experimental-features.ts'
import type { NamingConvention } from '../../config/naming-conventions.ts'
import type { SourceMetadata } from '../../metadata/metadata.ts'

/** The words from which a convention forms names. A custom name is a single word, so a convention does not split it. */
export type BaseName = { words: readonly string[]; isCustom: boolean }

/** A part of a name: words in snake case, or the base name of a table. */
export type NamePart = string | BaseName

/**
 * The naming of a source: its convention, prefixes and suffixes. Parts of a name are passed in snake case, which is
 * Hasura's default convention.
 */
export type Naming = {
  /** Names a field, an argument, or a value of an enum of columns. */
  field(...parts: readonly NamePart[]): string
  /** Names a type of a table or of a logical model. Adds the source's prefix and suffix. */
  type(...parts: readonly NamePart[]): string
  /** Names a type without the source's prefix and suffix, for example `Int_comparison_exp`. */
  sharedType(...parts: readonly NamePart[]): string
  /** Adds the source's prefix and suffix to the name of a type, and keeps its case. */
  sourceType(name: string): string
  /** Adds the source's prefix and suffix to the name of a root field. */
  rootField(name: string): string
  /** Names a value of the enum of an enum table, or of the enum of sort directions. */
  enumValue(name: string): string
  /** True if `enumValue` returns upper case. Values that are read from the database must then be converted. */
  hasUpperCaseEnums: boolean
  /** The root field that contains all other root fields of the source; null if they are not nested. */
  namespace: string | null
}

/** A convention: how words are joined, and how affixes are added. */
type Convention = {
  field(words: readonly string[], isCustom: boolean): string
  type(words: readonly string[], isCustom: boolean): string
  addAffixes(name: string, affixes: Affixes): string
  hasUpperCaseEnums: boolean
}

type Affixes = { prefix: string; suffix: string }

type Settings = {
  experimentalFeatures: readonly ExperimentalFeature[]
  defaultNamingConvention: NamingConvention
}

/**
 * Creates the naming of a source. As in Hasura, the convention is always `hasura-default` without the experimental
 * feature `naming_convention`.
 */
export function createSourceNaming(
  source: SourceMetadata | undefined,
  { experimentalFeatures, defaultNamingConvention }: Settings,
): Naming {
  const customization = source?.customization
  const chosenConvention = customization?.naming_convention ?? defaultNamingConvention
  const hasConventions = experimentalFeatures.includes('naming_convention')
  const convention = CONVENTIONS[hasConventions ? chosenConvention : 'hasura-default']
  const typeAffixes = affixesOf(customization?.type_names)
  const rootFieldAffixes = affixesOf(customization?.root_fields)
  const sharedType = (...parts: readonly NamePart[]) => convention.type(...wordsOf(parts))
  const sourceType = (name: string) => convention.addAffixes(name, typeAffixes)
  return {
    field: (...parts) => convention.field(...wordsOf(parts)),
    type: (...parts) => sourceType(sharedType(...parts)),
    sharedType,
    sourceType,
    rootField: (name) => convention.addAffixes(name, rootFieldAffixes),
    enumValue: (name) => (convention.hasUpperCaseEnums ? name.toUpperCase() : name),
    hasUpperCaseEnums: convention.hasUpperCaseEnums,
    namespace: customization?.root_fields?.namespace ?? null,
  }
}

const CONVENTIONS = {
  'hasura-default': {
    field: (words) => words.join('_'),
    type: (words) => words.join('_'),
    addAffixes: (name, { prefix, suffix }) => `${prefix}${name}${suffix}`,
    hasUpperCaseEnums: false,
  },
  'graphql-default': {
    field: ([first = '', ...furtherWords], isCustom) =>
      [isCustom ? first : lowerFirst(first), ...furtherWords.map(upperFirst)].join(''),
    type: ([first = '', ...furtherWords], isCustom) =>
      [isCustom ? first : upperFirst(first), ...furtherWords.map(upperFirst)].join(''),
    addAffixes: (name, { prefix, suffix }) =>
      `${prefix}${prefix === '' ? name : upperFirst(name)}${upperFirst(suffix)}`,
    hasUpperCaseEnums: true,
  },
} as const satisfies Readonly<Record<NamingConvention, Convention>>

/** Returns the words of a name, and true if its first part is a custom name. */
function wordsOf(parts: readonly NamePart[]): [words: string[], isCustom: boolean] {
  const [first] = parts
  const words = parts.flatMap((part) => (typeof part === 'string' ? splitSnake(part) : part.words))
  return [words, typeof first === 'object' && first.isCustom]
}

/** Creates a base name from a name in snake case. */
export function splitBaseName(name: string): BaseName {
  return { words: splitSnake(name), isCustom: false }
}

/** Creates a base name that stays one word, for example from a custom name in the metadata. */
export function customBaseName(name: string): BaseName {
  return { words: [name], isCustom: true }
}

/** Splits a name at underscores. A leading underscore stays with the first word. */
function splitSnake(name: string): string[] {
  const [first = '', second, ...furtherWords] = name.split('_')
  if (second === undefined) return [first]
  return first === '' ? [`_${second}`, ...furtherWords] : [first, second, ...furtherWords]
}

function lowerFirst(word: string): string {
  return `${word.slice(0, 1).toLowerCase()}${word.slice(1)}`
}

function upperFirst(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`
}

type OptionalAffixes = { prefix?: string | null | undefined; suffix?: string | null | undefined }

function affixesOf(affixes: OptionalAffixes | null | undefined): Affixes {
  return { prefix: affixes?.prefix ?? '', suffix: affixes?.suffix ?? '' }
}
