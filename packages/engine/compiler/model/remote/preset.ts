import { type InputValueDefinitionNode, Kind } from 'graphql/language/index.js'
import { Inconsistent } from '../inconsistency.ts'
import type { RemotePreset } from '../remote-types.ts'

/**
 * Reads `@preset(value: …)`. A text that begins with `x-hasura-` is the name of a session variable, unless `static` is
 * true.
 *
 * @throws Inconsistent if the arguments are invalid
 */
export function presetOf({ name, directives = [] }: InputValueDefinitionNode): RemotePreset | null {
  const [preset, second] = directives.filter((directive) => directive.name.value === 'preset')
  if (!preset) return null
  if (second) throw new Inconsistent(`the preset of "${name.value}" is repeated`)
  const args = new Map(
    (preset.arguments ?? []).map((argument) => [argument.name.value, argument.value]),
  )
  const value = args.get('value')
  const isStatic = args.get('static')
  const unknown = [...args.keys()].find((key) => key !== 'value' && key !== 'static')
  if (!value || unknown !== undefined || (isStatic && isStatic.kind !== Kind.BOOLEAN))
    throw new Inconsistent(`the preset of "${name.value}" must have a value, and may be static`)
  const isSession = value.kind === Kind.STRING && /^x-hasura-/i.test(value.value)
  if (isSession && !(isStatic?.kind === Kind.BOOLEAN && isStatic.value))
    return { kind: 'session', variable: value.value.toLowerCase() }
  return { kind: 'value', value }
}
