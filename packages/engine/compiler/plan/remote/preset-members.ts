import { print } from 'graphql/language/index.js'
import { EngineError } from '../../../errors.ts'
import type { Session } from '../../../session/session.ts'
import { type RemoteInput, type RemoteTypeRef, remoteTypeText } from '../../model/remote-types.ts'
import type { SentMember, SentValue } from '../sent-field.ts'

/**
 * Returns the values that a permission sends for arguments that the role may not set. Returns none if there is no
 * session, because the operation is being planned.
 *
 * @throws not-found for a missing session variable, coercion-error for a variable of the wrong type
 */
export function presetMembers(
  presets: readonly RemoteInput[],
  { session }: { session: Session | null },
): SentMember[] {
  if (!session) return []
  return presets.flatMap(({ name, preset, type }) =>
    preset ? [{ name, value: presetValue(preset, type, session) }] : [],
  )
}

function presetValue(
  preset: NonNullable<RemoteInput['preset']>,
  type: RemoteTypeRef,
  { variables }: Session,
): SentValue {
  if (preset.kind === 'value') return { kind: 'text', text: print(preset.value) }
  const text = variables.get(preset.variable)
  if (text === undefined)
    throw new EngineError(
      'not-found',
      `${preset.variable} session variable expected, but not found`,
      { status: 400 },
    )
  return { kind: 'json', type: remoteTypeText(type), value: coerce(text, type) }
}

/**
 * Converts the text of a session variable to a number or a boolean if the type is Int, Float or Boolean. Returns the
 * text unchanged for every other type.
 */
function coerce(text: string, type: RemoteTypeRef): unknown {
  const inner = type.kind === 'required' ? type.of : type
  const name = inner.kind === 'named' ? inner.name : ''
  const [pattern, convert] = COERCIONS[name] ?? [/^/, (unchanged: string): unknown => unchanged]
  if (pattern.test(text)) return convert(text)
  throw new EngineError('coercion-error', `"${text}" cannot be coerced into a value of ${name}`)
}

type Coercion = readonly [RegExp, (text: string) => unknown]

const COERCIONS: Readonly<Partial<Record<string, Coercion>>> = {
  Int: [/^-?\d+$/, Number],
  Float: [/^-?\d+(\.\d+)?([eE][-+]?\d+)?$/, Number],
  Boolean: [/^(true|false)$/, (text) => text === 'true'],
}
