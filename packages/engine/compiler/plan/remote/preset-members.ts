import { print } from 'graphql/language/index.js'
import { EngineError } from '../../../errors.ts'
import type { Session } from '../../../session/session.ts'
import { type RemoteInput, type RemoteTypeRef, remoteTypeText } from '../../model/remote-types.ts'
import type { SentMember, SentValue } from '../sent-field.ts'

/**
 * What a permission sends for arguments that the role may not choose; nothing without a session.
 *
 * @throws not-found for a session variable that is missing, coercion-error for one that does not fit
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
  return { kind: 'json', type: remoteTypeText(type), value: coerced(text, type) }
}

/** The text as a value of one of GraphQL's own scalars; as it is for other types. */
function coerced(text: string, type: RemoteTypeRef): unknown {
  const inner = type.kind === 'required' ? type.of : type
  const name = inner.kind === 'named' ? inner.name : ''
  const [pattern, read] = COERCIONS[name] ?? [/^/, (same: string): unknown => same]
  if (pattern.test(text)) return read(text)
  throw new EngineError('coercion-error', `"${text}" cannot be coerced into a value of ${name}`)
}

type Coercion = readonly [RegExp, (text: string) => unknown]

const COERCIONS: Readonly<Partial<Record<string, Coercion>>> = {
  Int: [/^-?\d+$/, Number],
  Float: [/^-?\d+(\.\d+)?([eE][-+]?\d+)?$/, Number],
  Boolean: [/^(true|false)$/, (text) => text === 'true'],
}
