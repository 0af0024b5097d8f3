import type { ExperimentalFeature } from '../../config/experimental-features.ts'
import type { NamingConvention } from '../../config/naming-conventions.ts'
import type { SourceMetadata } from '../../metadata/metadata.ts'

/** A name that others are made of, in the words that a convention joins. One that was given is kept as it is. */
export type BaseName = { words: readonly string[]; isGiven: boolean }

/** Words in snake case, or a table's name. */
export type NamePart = string | BaseName

/**
 * How everything is called in the schema: by the convention, and by the source's prefixes and suffixes. A part of a
 * name is given in snake case, which is also the name in Hasura's usual convention.
 */
export type Naming = {
  /** A field, an argument, or a value of an enum of columns. */
  field(...parts: readonly NamePart[]): string
  /** A type that belongs to a table or a function. */
  type(...parts: readonly NamePart[]): string
  /** A type that belongs to none, such as those of operators. */
  sharedType(...parts: readonly NamePart[]): string
  /** A type of the source whose name keeps its case. */
  sourceType(name: string): string
  /** A root field, by the name that it would have without the source's prefix and suffix. */
  rootField(name: string): string
  /** A value of an enum of rows or of directions. */
  enumValue(name: string): string
  /** Whether these values are written in capital letters, which the database does not do. */
  raisesEnumValues: boolean
  /** The root field that holds all others of the source. */
  namespace: string | null
}

/** A convention: how words are joined, and how names are extended. */
type Convention = {
  field(words: readonly string[], isGiven: boolean): string
  type(words: readonly string[], isGiven: boolean): string
  extended(name: string, affixes: Affixes): string
  raisesEnumValues: boolean
}

type Affixes = { prefix: string; suffix: string }

type Settings = {
  experimentalFeatures: readonly ExperimentalFeature[]
  defaultNamingConvention: NamingConvention
}

/** The naming of a source. As in Hasura, conventions have no effect unless the experimental feature is on. */
export function createSourceNaming(
  source: SourceMetadata | undefined,
  { experimentalFeatures, defaultNamingConvention }: Settings,
): Naming {
  const customization = source?.customization
  const chosen = customization?.naming_convention ?? defaultNamingConvention
  const hasConventions = experimentalFeatures.includes('naming_convention')
  const convention = CONVENTIONS[hasConventions ? chosen : 'hasura-default']
  const ofTypes = affixesOf(customization?.type_names)
  const ofRoots = affixesOf(customization?.root_fields)
  const sharedType = (...parts: readonly NamePart[]) => convention.type(...wordsOf(parts))
  const sourceType = (name: string) => convention.extended(name, ofTypes)
  return {
    field: (...parts) => convention.field(...wordsOf(parts)),
    type: (...parts) => sourceType(sharedType(...parts)),
    sharedType,
    sourceType,
    rootField: (name) => convention.extended(name, ofRoots),
    enumValue: (name) => (convention.raisesEnumValues ? name.toUpperCase() : name),
    raisesEnumValues: convention.raisesEnumValues,
    namespace: customization?.root_fields?.namespace ?? null,
  }
}

const CONVENTIONS = {
  'hasura-default': {
    field: (words) => words.join('_'),
    type: (words) => words.join('_'),
    extended: (name, { prefix, suffix }) => `${prefix}${name}${suffix}`,
    raisesEnumValues: false,
  },
  'graphql-default': {
    field: ([first = '', ...others], isGiven) =>
      [isGiven ? first : lowerFirst(first), ...others.map(upperFirst)].join(''),
    type: ([first = '', ...others], isGiven) =>
      [isGiven ? first : upperFirst(first), ...others.map(upperFirst)].join(''),
    extended: (name, { prefix, suffix }) =>
      `${prefix}${prefix === '' ? name : upperFirst(name)}${upperFirst(suffix)}`,
    raisesEnumValues: true,
  },
} as const satisfies Readonly<Record<NamingConvention, Convention>>

/** The words of a name, and whether the first of them was given. */
function wordsOf(parts: readonly NamePart[]): [words: string[], isGiven: boolean] {
  const [first] = parts
  const words = parts.flatMap((part) => (typeof part === 'string' ? splitSnake(part) : part.words))
  return [words, typeof first === 'object' && first.isGiven]
}

/** A name that was not given, as words. */
export function wordedName(name: string): BaseName {
  return { words: splitSnake(name), isGiven: false }
}

/** A name that was given in the metadata. */
export function givenName(name: string): BaseName {
  return { words: [name], isGiven: true }
}

/** The words between underscores. One at the beginning belongs to the first word. */
function splitSnake(name: string): string[] {
  const [first = '', second, ...others] = name.split('_')
  if (second === undefined) return [first]
  return first === '' ? [`_${second}`, ...others] : [first, second, ...others]
}

function lowerFirst(word: string): string {
  return `${word.slice(0, 1).toLowerCase()}${word.slice(1)}`
}

function upperFirst(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`
}

type GivenAffixes = { prefix?: string | null | undefined; suffix?: string | null | undefined }

function affixesOf(given: GivenAffixes | null | undefined): Affixes {
  return { prefix: given?.prefix ?? '', suffix: given?.suffix ?? '' }
}
