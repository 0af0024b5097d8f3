import { formatField, parseField } from '../../../../../lib/proof/encoding.ts'
import { scopeOfAction } from '../../../../../lib/proof/scope.ts'
import { FaultList } from './fault-list.ts'
import { type ActionLine, type AppLine, type FileLine, parseFileLine } from './file-lines.ts'
import { FingerprintSet, fingerprintOf } from './fingerprint-set.ts'
import { readLines } from './read-lines.ts'
import { type MissingUses, usesOf } from './uses-of.ts'

/** An action of a file with the totals of its people. */
export type CheckedAction = {
  line: ActionLine
  people: number
  uses: number
  neverVerified: number
}

/** A file without faults. `repeated` has the fingerprints that several people of an action share. */
export type CheckedFile = {
  app: AppLine
  actions: Map<string, CheckedAction>
  repeated: Map<string, Set<number>>
}

type Options = { appId: string; missingUses: MissingUses | undefined }

/**
 * Checks every line of a file, before anything is imported. Keeps eight to sixteen bytes of each person in memory.
 *
 * @throws an error with the line and the fault of the first twenty faulty lines
 */
export async function checkFile(path: string, options: Options): Promise<CheckedFile> {
  const check = new FileCheck(path, options)
  for await (const lines of readLines(path))
    for (const { number, text } of lines) check.add(number, text)
  return check.finish()
}

class FileCheck {
  readonly #faults: FaultList
  readonly #options: Options
  readonly #actions = new Map<string, CheckedAction>()
  readonly #fingerprints = new Map<string, FingerprintSet>()
  readonly #repeated = new Map<string, Set<number>>()
  readonly #withoutUses = new Set<string>()
  #app: AppLine | undefined
  #people = 0
  #last = 0
  #end: number | undefined

  constructor(path: string, options: Options) {
    this.#faults = new FaultList(path)
    this.#options = options
  }

  add(number: number, text: string): void {
    this.#last = number
    const line = parseFileLine(text)
    const fault = typeof line === 'string' ? line : this.#addLine(line)
    if (fault !== null) this.#faults.add(number, fault)
  }

  finish(): CheckedFile {
    if (this.#end === undefined)
      this.#faults.add(this.#last + 1, 'the file has no line of the type end, so a part is missing')
    this.#faults.throwIfAny()
    if (this.#app === undefined) throw new Error('The file has no line of the type app.')
    return { app: this.#app, actions: this.#actions, repeated: this.#repeated }
  }

  /** Adds a line, and returns its fault or null. */
  #addLine(line: FileLine): string | null {
    if (this.#end !== undefined) return 'no line may follow the line of the type end'
    if (line.type === 'app') return this.#addApp(line)
    if (this.#app === undefined) return 'the first line must have the type app'
    if (line.type === 'action') return this.#addAction(line, this.#app.id)
    if (line.type === 'person') return this.#addPerson(line)
    this.#end = line.people
    return line.people === this.#people
      ? null
      : `the file has ${this.#people} people before this line, which says ${line.people}`
  }

  #addApp(line: AppLine): string | null {
    if (this.#app !== undefined) return 'a file has one app'
    this.#app = line
    if (line.id !== this.#options.appId)
      return `the file is of the app ${line.id}; --app says ${this.#options.appId}`
    const isStaging = line.id.startsWith('app_staging_')
    return isStaging === line.is_staging
      ? null
      : `is_staging must be ${isStaging} for the id ${line.id}`
  }

  #addAction(line: ActionLine, appId: string): string | null {
    if (this.#actions.has(line.action)) return `the action "${line.action}" has a line already`
    this.#actions.set(line.action, { line, people: 0, uses: 0, neverVerified: 0 })
    this.#fingerprints.set(line.action, new FingerprintSet())
    if (line.action === '' && line.protocol !== '3.0') return 'sign-in has protocol 3.0'
    return findOtherScope(line, appId)
  }

  #addPerson(line: Extract<FileLine, { type: 'person' }>): string | null {
    this.#people += 1
    const action = this.#actions.get(line.action)
    if (action === undefined)
      return `the action "${line.action}" has no line of the type action before this line`
    const uses = usesOf(line, action.line, this.#options.missingUses)
    if (typeof uses === 'string') {
      if (line.uses !== undefined) return uses
      // One fault for an action is enough, since probably no person has uses.
      if (this.#withoutUses.has(line.action)) return null
      this.#withoutUses.add(line.action)
      return uses
    }
    if (uses === 0) {
      action.neverVerified += 1
      return null
    }
    action.people += 1
    action.uses += uses
    const fingerprint = fingerprintOf(line.nullifier_hash)
    if (this.#fingerprints.get(line.action)?.add(fingerprint) === false)
      this.#repeated.set(
        line.action,
        (this.#repeated.get(line.action) ?? new Set()).add(fingerprint),
      )
    return null
  }
}

/** Returns why the nullifiers of an action would differ on this platform; null if they are the same. */
function findOtherScope(line: ActionLine, appId: string): string | null {
  // An action at World has an empty external nullifier until its service has computed the value. Protocol 4.0 has none.
  if (!line.external_nullifier || line.protocol === '4.0') return null
  const scope = scopeOfAction({ id: line.id ?? '', app_id: appId, action: line.action })
  if (parseField(line.external_nullifier) === scope.externalNullifier) return null
  const expected = formatField(scope.externalNullifier)
  return `the external_nullifier of the action "${line.action}" is ${line.external_nullifier}, and this platform computes ${expected}: its people would have other nullifiers here`
}
