import { defaultsOfCode } from '../../../lib/runtime/errors.ts'
import type { Examination } from '../../../lib/verification/check/verify-proof.ts'
import type { GroupOfEnvironment } from '../../../lib/verification/roots/check-root.ts'
import {
  createFailure,
  createPass,
  createUnknown,
  type Judgement,
  UNREADABLE,
} from './judgement.ts'

type App = { is_staging: boolean }
type RootToJudge = { app: App; examination: Pick<Examination, 'root'> }

/** Checks that a group for the claimed level has the root, and that the root is recent enough. */
export function judgeRoot({ app, examination: { root } }: RootToJudge): Judgement {
  if (!root) return createUnknown(UNREADABLE)
  if (root.age === 'unknown')
    return createFailure(
      `${defaultsOfCode('invalid_merkle_root').detail} ${hintAtGroup(root.groups, app)}`,
    )
  const age = ageInWords(root)
  return root.age === 'fresh'
    ? createPass(age)
    : createFailure(`${defaultsOfCode('root_too_old').detail} ${age}`)
}

type KnownRoot = Extract<NonNullable<Examination['root']>, { supersededAt: unknown }>

function ageInWords({ supersededAt, maxAgeSeconds }: KnownRoot): string {
  if (supersededAt === null) return 'This is the latest root of its group.'
  const time = new Date(supersededAt * 1_000).toISOString()
  return `The group has had a newer root since ${time}. This root is accepted for ${hoursInWords(maxAgeSeconds)} after that.`
}

function hoursInWords(seconds: number): string {
  const hours = Math.round(seconds / 360) / 10
  return hours === 1 ? '1 hour' : `${hours} hours`
}

/** Names a group that has the root, because developers often use the wrong level or environment. */
function hintAtGroup(knownTo: readonly GroupOfEnvironment[], app: App): string {
  const environment = app.is_staging ? 'staging' : 'production'
  const sameEnvironment = knownTo.filter((group) => group.environment === environment)
  if (sameEnvironment.length > 0) {
    const levels = new Set(sameEnvironment.flatMap((group) => [...group.levels]))
    return `A group that proves ${[...levels].join(', ')} has this root.`
  }
  const [otherGroup] = knownTo
  if (!otherGroup) return 'No other group has this root.'
  return `A ${otherGroup.environment} group has this root, but this is a ${environment} app.`
}
