import { findNearestName } from '../../../lib/runtime/nearest-name.ts'
import { type IgnoredVariable, ignoredVariables } from '../config/ignored-variables.ts'
import { readMetadata } from '../metadata/folder/read-metadata-folder.ts'
import type { Project } from '../project/project.ts'

/** Rejects options that `startEngine` does not have. */
export function requireKnownOptions(options: object): void {
  for (const name of Object.keys(options)) {
    if (OPTIONS.includes(name)) continue
    const nearest = findNearestName(name, OPTIONS)
    const isNear = nearest !== null && nearest.distance <= MAX_TYPING_ERRORS
    const question = isNear ? `Did you mean ${nearest.name}? ` : ''
    throw new TypeError(
      `startEngine has no option ${name}. ${question}Its options are ${OPTIONS.join(', ')}.`,
    )
  }
}

const OPTIONS: readonly string[] = ['project', 'databaseUrl', 'environment', 'seeds']

const MAX_TYPING_ERRORS = 3

/** The variables that this process has warned about. */
const reportedVariables = new Set<string>()

/** Warns of variables without effect, once for each variable in this process. */
export async function warnOfIgnoredVariables(
  environment: Readonly<Record<string, string | undefined>>,
  { metadataDir }: Project,
): Promise<void> {
  const isNew = ({ variable }: IgnoredVariable) => !reportedVariables.has(variable)
  // Usually no variable is ignored. Then the metadata, which may be large, is not read again.
  if (!ignoredVariables(environment, {}).some(isNew)) return
  const { metadata } = await readMetadata(metadataDir)
  for (const { variable, reason } of ignoredVariables(environment, metadata).filter(isNew)) {
    reportedVariables.add(variable)
    process.emitWarning(`${variable} has no effect: ${reason}`, 'startEngine')
  }
}
