import { findNearestName } from '../../../lib/runtime/nearest-name.ts'
import { ownValue } from '../json/own-value.ts'
import { SETTING_VARIABLES } from './config.ts'
import { COMMAND_LINE_VARIABLES, HASURA_ONLY_VARIABLES } from './hasura-variables.ts'

/** A variable that is set but has no effect, and the reason. */
export type IgnoredVariable = { variable: string; reason: string }

/**
 * Finds variables that look like settings but have no effect: variables that only Hasura reads, misspelt variables, and
 * unknown variables with the prefix of Hasura. Skips variables that the metadata names, because they belong to the
 * project.
 *
 * @param metadata any value that contains the texts of the metadata
 */
export function ignoredVariables(
  environment: Readonly<Record<string, string | undefined>>,
  metadata: unknown,
): IgnoredVariable[] {
  const candidates = Object.keys(environment).filter(
    (name) => PREFIX.test(name) && environment[name] && !EFFECTIVE.includes(name),
  )
  if (candidates.length === 0) return []
  const namesInMetadata = new Set(JSON.stringify(metadata).match(/\w+/g))
  return candidates
    .filter((name) => !namesInMetadata.has(name))
    .toSorted()
    .flatMap((variable) => {
      const reason = reasonOf(variable)
      return reason === null ? [] : [{ variable, reason }]
    })
}

/** Returns why a variable has no effect; null if it may belong to another program. */
function reasonOf(variable: string): string | null {
  const advice = ownValue(HASURA_ONLY_VARIABLES, variable)
  if (advice !== undefined) return `Hasura reads it, this engine does not: ${advice}`
  const nearest = findNearestName(variable, [...EFFECTIVE, ...Object.keys(HASURA_ONLY_VARIABLES)])
  if (nearest && nearest.distance <= MAX_TYPING_ERRORS) return `did you mean ${nearest.name}?`
  return variable.startsWith('HASURA_') ? NO_READER : null
}

const NO_READER = "neither Hasura's community edition nor this engine reads it"

const PREFIX = /^(HASURA_GRAPHQL|ENGINE)_/

const MAX_TYPING_ERRORS = 2

const EFFECTIVE: readonly string[] = [...SETTING_VARIABLES, ...Object.keys(COMMAND_LINE_VARIABLES)]
