import { requireValue } from '../../../../../lib/runtime/require-value.ts'
import type { CheckedFile } from '../file/file-check.ts'
import { keyOfPerson, type MergedUses } from '../file/merge-repeated.ts'
import { peopleOfFile } from '../file/people-of-file.ts'
import { type MissingUses, usesOf } from '../file/uses-of.ts'
import type { Import, ImportedPerson, OperatorApi } from './operator-api.ts'

/** The people of one statement. Their verifications wait while it runs. */
const BATCH = 1_000
/** The most people that wait for a full batch of their action. */
const MOST_WAITING = 5_000
const PROGRESS_EVERY = 100_000

type Options = {
  path: string
  file: CheckedFile
  merged: MergedUses
  missingUses: MissingUses | undefined
  /** The imports that have begun, by action. */
  imports: ReadonlyMap<string, Import>
  api: OperatorApi
  report: (message: string) => void
}

/** Sends the people of a file to the platform, in batches of one action. */
export async function sendPeople(options: Options): Promise<void> {
  const { path, file, merged, missingUses, imports, api, report } = options
  const waiting = new Map<string, ImportedPerson[]>()
  let waitingPeople = 0
  let sent = 0
  const flush = async (action: string, people: ImportedPerson[]) => {
    waiting.delete(action)
    waitingPeople -= people.length
    await api.importPeople(requireValue(imports.get(action), 'the import').action_id, people)
    const before = Math.floor(sent / PROGRESS_EVERY)
    sent += people.length
    if (Math.floor(sent / PROGRESS_EVERY) > before)
      report(`${sent.toLocaleString('en')} people sent …`)
  }
  for await (const people of peopleOfFile(path))
    for (const { person } of people) {
      const action = requireValue(file.actions.get(person.action), 'the action of a person')
      const uses = merged.get(keyOfPerson(person)) ?? usesOf(person, action.line, missingUses)
      if (typeof uses === 'string' || uses === 0) continue
      const batch = waiting.get(person.action) ?? []
      waiting.set(person.action, batch)
      const { nullifier_hash, created_at = null } = person
      batch.push({ nullifier_hash, uses, created_at })
      waitingPeople += 1
      if (batch.length === BATCH) await flush(person.action, batch)
      if (waitingPeople > MOST_WAITING) for (const entry of waiting) await flush(...entry)
    }
  for (const entry of waiting) await flush(...entry)
}
