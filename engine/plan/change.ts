import type { Change, Output, Root } from './ir.ts'
import type { Planner } from './planner.ts'
import { heedsSession, seesChange } from './what-runs.ts'

/** What a root field that changes rows comes to. */
export type PlannedChange =
  | { is: 'database'; root: Root }
  | { is: 'databaseList'; roots: readonly (Root | string)[] }
  | { is: 'known'; text: string }

/** What is answered when there is nothing to change. */
export function nothingChanged(output: Output): string {
  if (output.kind === 'row') return 'null'
  const members = output.parts.map((part) => {
    const value = {
      affected: 0,
      returning: [],
      typename: part.kind === 'typename' ? part.name : null,
    }
    return `${JSON.stringify(part.as)}:${JSON.stringify(value[part.kind])}`
  })
  return `{${members.join(',')}}`
}

/** One statement when the answer is the same before and after it; else a second one that looks around. */
export function seesNewState({ schema }: Planner, change: Change, output: Output): Root {
  if (!seesChange(schema.model, change, output)) {
    const heeds = heedsSession(schema.model, change, output)
    return { kind: 'change', change, output, heedsSession: heeds }
  }
  const step = { change, keep: KEEP, path: null, required: null }
  return {
    kind: 'steps',
    steps: [step],
    output,
    from: { kind: 'kept', keeps: [KEEP], table: change.table },
  }
}

const KEEP = 'engine.rows'
