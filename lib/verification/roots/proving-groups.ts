import { VERIFICATION_LEVELS, type VerificationLevel } from '../../proof/verification-level.ts'
import type { SharedConfig } from '../../runtime/config.ts'

/** A group of people: the name of its contract, and the levels that membership proves. */
export type ProvingGroup = { name: string; levels: ReadonlySet<VerificationLevel> }

export type Environment = 'production' | 'staging'

export type ProvingGroups = Record<Environment, readonly [ProvingGroup, ...ProvingGroup[]]>

/**
 * Reads the groups of each environment from the configuration.
 *
 * @throws Error for an unknown level
 */
export function readProvingGroups(config: SharedConfig): ProvingGroups {
  return {
    production: parseGroups(config.GROUPS_PRODUCTION),
    staging: parseGroups(config.GROUPS_STAGING),
  }
}

/** Returns the levels that any of these groups proves, strongest first. */
export function provenLevels(groups: readonly ProvingGroup[]): VerificationLevel[] {
  return VERIFICATION_LEVELS.filter((level) => groups.some(({ levels }) => levels.has(level)))
}

function parseGroups([first, ...otherGroups]: readonly [string, ...string[]]): [
  ProvingGroup,
  ...ProvingGroup[],
] {
  return [parseGroup(first), ...otherGroups.map(parseGroup)]
}

/** Parses `name=level+level`; `all` means every level. */
function parseGroup(text: string): ProvingGroup {
  const [name = '', levelList = ''] = text.split('=')
  const levels = levelList === 'all' ? VERIFICATION_LEVELS : levelList.split('+').map(parseLevel)
  return { name, levels: new Set(levels) }
}

function parseLevel(text: string): VerificationLevel {
  const level = VERIFICATION_LEVELS.find((name) => name === text)
  if (level) return level
  throw new Error(
    `A verification level must be one of ${VERIFICATION_LEVELS.join(', ')}; got "${text}".`,
  )
}
