import { VERIFICATION_LEVELS, type VerificationLevel } from '../../proof/verification-level.ts'
import type { SharedConfig } from '../../runtime/config.ts'

/** A group of people: the name of its contract, and the levels that being in the group proves. */
export type ProvingGroup = { name: string; levels: ReadonlySet<VerificationLevel> }

export type Environment = 'production' | 'staging'

export type ProvingGroups = Record<Environment, readonly [ProvingGroup, ...ProvingGroup[]]>

/**
 * The groups of each environment, from the configuration.
 *
 * @throws Error that names an unknown level
 */
export function provingGroups(config: SharedConfig): ProvingGroups {
  return {
    production: parseGroups(config.GROUPS_PRODUCTION),
    staging: parseGroups(config.GROUPS_STAGING),
  }
}

/** The levels that any of these groups proves, the strongest first. */
export function provenLevels(groups: readonly ProvingGroup[]): VerificationLevel[] {
  return VERIFICATION_LEVELS.filter((level) => groups.some(({ levels }) => levels.has(level)))
}

function parseGroups([first, ...others]: readonly [string, ...string[]]): [
  ProvingGroup,
  ...ProvingGroup[],
] {
  return [parseGroup(first), ...others.map(parseGroup)]
}

/** Reads `name=level+level`, where `all` stands for every level. */
function parseGroup(text: string): ProvingGroup {
  const [name = '', proven = ''] = text.split('=')
  const levels = proven === 'all' ? VERIFICATION_LEVELS : proven.split('+').map(parseLevel)
  return { name, levels: new Set(levels) }
}

function parseLevel(text: string): VerificationLevel {
  const level = VERIFICATION_LEVELS.find((known) => known === text)
  if (level) return level
  throw new Error(
    `There is no verification level "${text}": use ${VERIFICATION_LEVELS.join(', ')}.`,
  )
}
