import type { RemoteRelationship } from '../model.ts'

/** Returns the names of the fields that a relationship reads from its left side: the object that has the relationship. */
export function leftFieldsOf({ target }: RemoteRelationship): string[] {
  if (target.kind === 'table') return target.mapping.map(({ field }) => field)
  return [
    ...new Set(target.steps.flatMap(({ args }) => Object.values(args).flatMap(referredFields))),
  ]
}

/** Returns the names of the fields of the left side that an argument's template refers to. */
function referredFields(template: unknown): string[] {
  if (typeof template === 'string') return referredField(template) ?? []
  if (typeof template !== 'object' || template === null) return []
  return Object.values<unknown>({ ...template }).flatMap(referredFields)
}

function referredField(text: string): [string] | null {
  return text.startsWith('$') ? [text.slice(1)] : null
}
