import { defaultsOfCode } from '../../../lib/runtime/errors.ts'
import type { Examination } from '../../../lib/verification/check/verify-proof.ts'
import type { GroupOfEnvironment } from '../../../lib/verification/roots/judge-root.ts'
import { failed, type Judgement, passed, UNREADABLE, unjudged } from './judgement.ts'

type App = { is_staging: boolean }
type Examined = { app: App; examined: Pick<Examination, 'root'> }

/** Whether a group that proves the claimed level has the root, and for how long it has had a newer one. */
export function judgeRoot({ app, examined: { root } }: Examined): Judgement {
  if (!root) return unjudged(UNREADABLE)
  if (root.age === 'unknown')
    return failed(`${defaultsOfCode('invalid_merkle_root').detail} ${hint(root.knownTo, app)}`)
  const age = ageInWords(root)
  return root.age === 'fresh'
    ? passed(age)
    : failed(`${defaultsOfCode('root_too_old').detail} ${age}`)
}

type KnownRoot = Extract<NonNullable<Examination['root']>, { supersededAt: unknown }>

function ageInWords({ supersededAt, maxAgeSeconds }: KnownRoot): string {
  if (supersededAt === null) return 'It is the latest root of its group.'
  const time = new Date(supersededAt * 1_000).toISOString()
  return `Its group has had a newer one since ${time}, and it may be used for ${hoursInWords(maxAgeSeconds)} from then.`
}

function hoursInWords(seconds: number): string {
  const hours = Math.round(seconds / 360) / 10
  return hours === 1 ? '1 hour' : `${hours} hours`
}

/** What most people have mixed up who are surprised. */
function hint(knownTo: readonly GroupOfEnvironment[], app: App): string {
  const environment = app.is_staging ? 'staging' : 'production'
  const here = knownTo.filter((group) => group.environment === environment)
  if (here.length > 0) {
    const levels = new Set(here.flatMap((group) => [...group.levels]))
    return `A group that proves ${[...levels].join(', ')} has it.`
  }
  const [elsewhere] = knownTo
  if (!elsewhere) return 'No other group has it, either.'
  return `A group of ${elsewhere.environment} has it, and this is a ${environment} app.`
}
