import { requireValue } from '../../../../../lib/runtime/require-value.ts'
import { FaultList } from './fault-list.ts'
import type { CheckedFile } from './file-check.ts'
import type { PersonLine } from './file-lines.ts'
import { fingerprintOf } from './fingerprint-set.ts'
import { peopleOfFile } from './people-of-file.ts'
import { limitOf, type MissingUses, usesOf } from './uses-of.ts'

/** The most people that may have several lines, since these are kept in memory. */
const MOST_REPEATED = 100_000

type Repetition = {
  action: string
  firstLine: number
  ids: Set<string | undefined>
  lines: number
  uses: number
}

/** The uses of people with several lines, by action and nullifier. */
export type MergedUses = Map<string, number>

/**
 * Reads the people with equal fingerprints again. At World, a person may have several rows, with different spellings of one
 * nullifier: their uses are added up, at most to the limit. Corrects the totals of the file.
 *
 * @throws an error with the lines if two lines of a person have the same id, or none
 */
export async function mergeRepeated(
  path: string,
  file: CheckedFile,
  missingUses: MissingUses | undefined,
): Promise<MergedUses> {
  if (file.repeated.size === 0) return new Map()
  const repetitions = await findRepetitions(path, file, missingUses)
  const merged: MergedUses = new Map()
  for (const [key, { lines, uses, action }] of repetitions) {
    if (lines === 1) continue
    const totals = requireValue(file.actions.get(action), 'the action')
    const limit = limitOf(totals.line)
    const mergedUses = limit === 0 ? uses : Math.min(uses, limit)
    merged.set(key, mergedUses)
    totals.people -= lines - 1
    totals.uses -= uses - mergedUses
  }
  return merged
}

export function keyOfPerson({ action, nullifier_hash }: PersonLine): string {
  return `${nullifier_hash} ${action}`
}

async function findRepetitions(
  path: string,
  file: CheckedFile,
  missingUses: MissingUses | undefined,
): Promise<Map<string, Repetition>> {
  const faults = new FaultList(path)
  const repetitions = new Map<string, Repetition>()
  for await (const people of peopleOfFile(path))
    for (const { number, person } of people) {
      if (!file.repeated.get(person.action)?.has(fingerprintOf(person.nullifier_hash))) continue
      const action = requireValue(file.actions.get(person.action), 'the action')
      const uses = usesOf(person, action.line, missingUses)
      if (typeof uses === 'string' || uses === 0) continue
      const fault = addPerson(repetitions, { number, person, uses })
      if (fault) faults.add(number, fault)
      if (repetitions.size > MOST_REPEATED)
        throw new Error(`${path}: more than ${MOST_REPEATED} people have several lines.`)
    }
  faults.throwIfAny()
  return repetitions
}

/** Adds a line of a person, and returns its fault or null. */
function addPerson(
  repetitions: Map<string, Repetition>,
  { number, person, uses }: { number: number; person: PersonLine; uses: number },
): string | null {
  const key = keyOfPerson(person)
  const former = repetitions.get(key)
  if (former === undefined) {
    const { action, id } = person
    repetitions.set(key, { action, firstLine: number, ids: new Set([id]), lines: 1, uses })
    return null
  }
  if (former.ids.has(undefined) || person.id === undefined || former.ids.has(person.id))
    return `the person ${person.nullifier_hash} has line ${former.firstLine} already, for the same action`
  former.ids.add(person.id)
  former.lines += 1
  former.uses += uses
  return null
}
