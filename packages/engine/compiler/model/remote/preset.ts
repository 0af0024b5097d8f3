import { type InputValueDefinitionNode, Kind } from 'graphql/language/index.js'
import { Inconsistent } from '../inconsistency.ts'
import type { RemotePreset } from '../remote-types.ts'

/**
 * What `@preset(value: …)` says: a value, or, if it is a text that begins with `x-hasura-` and `static: true` is not
 * given, a session variable.
 *
 * @throws Inconsistent if it says something else
 */
export function presetOf({ name, directives = [] }: InputValueDefinitionNode): RemotePreset | null {
  const [preset, second] = directives.filter((directive) => directive.name.value === 'preset')
  if (!preset) return null
  if (second) throw new Inconsistent(`the preset of "${name.value}" is repeated`)
  const given = new Map((preset.arguments ?? []).map((one) => [one.name.value, one.value]))
  const value = given.get('value')
  const isStatic = given.get('static')
  const unknown = [...given.keys()].find((key) => key !== 'value' && key !== 'static')
  if (!value || unknown !== undefined || (isStatic && isStatic.kind !== Kind.BOOLEAN))
    throw new Inconsistent(`the preset of "${name.value}" must have a value, and may be static`)
  const isSession = value.kind === Kind.STRING && /^x-hasura-/i.test(value.value)
  if (isSession && !(isStatic?.kind === Kind.BOOLEAN && isStatic.value))
    return { kind: 'session', variable: value.value.toLowerCase() }
  return { kind: 'value', value }
}
