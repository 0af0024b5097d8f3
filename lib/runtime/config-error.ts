import type { z } from 'zod'

/**
 * An error: the configuration is invalid, so the service cannot start. The message is for the operator at the terminal.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/**
 * Describes each wrong variable in a sentence: the requirement, and the value, unless the value may contain a secret.
 *
 * @param env the environment that was parsed
 */
export function describeWrongVariables(
  { issues }: z.ZodError,
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  return issues.map((issue) => {
    const [variable = '', ...below] = issue.path.map(String)
    const value = env[variable]
    const place = [variable, partOf(value, below)].filter(Boolean).join(': ')
    return `${place} ${requirementOf(issue, value)}${ofValue(variable, value)}.`
  })
}

/** Returns the name of a part of a variable's value: the position in a list, or the path in JSON. Empty for the whole value. */
function partOf(value = '', below: readonly string[]): string {
  const [index = '', ...deeper] = below
  const isListItem = deeper.length === 0 && /^\d+$/.test(index)
  if (!isListItem) return below.join('.')
  return value.includes(',') ? `value ${Number(index) + 1}` : ''
}

function requirementOf(issue: z.core.$ZodIssue, value: string | undefined): string {
  // A message of the schema begins with a verb. The messages of zod begin with a capital letter.
  const own = /^[a-z]/.test(issue.message) ? issue.message : null
  if (value === undefined && !own?.startsWith('is'))
    return own === null ? 'is missing' : `is missing; it ${own}`
  if (own !== null) return own
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPES[issue.expected] ?? issue.expected}`
    case 'too_small':
      return `must be ${issue.inclusive ? 'at least' : 'above'} ${issue.minimum}`
    case 'too_big':
      return `must be at most ${issue.maximum}`
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`
    case 'unrecognized_keys':
      return `must not have ${issue.keys.join(', ')}`
    case 'invalid_key':
      return 'has a malformed name'
    default:
      return 'is malformed'
  }
}

/** Plain names of the types that zod expects. */
const TYPES: Readonly<Record<string, string>> = {
  number: 'a number',
  int: 'a whole number',
  string: 'a text',
  object: 'a JSON object',
  record: 'a JSON object',
}

/** Matches the names of variables that may contain a secret, such as a password in an address. */
const CONFIDENTIAL =
  /SECRET|PEPPER|PASSWORD$|KEYS$|SMTP_URL|DATABASE_URL|RPC_URL|PROVIDER_URL|PAYMENT_CHAINS|PRICE_FEEDS|OTLP/

/** Matches an address with a name and a password. */
const CREDENTIALS = /:[^@]*@/

/** The longest value that an error repeats. */
const MAX_SHOWN_LENGTH = 80

function ofValue(variable: string, value: string | undefined): string {
  if (value === undefined || value.length > MAX_SHOWN_LENGTH) return ''
  return CONFIDENTIAL.test(variable) || CREDENTIALS.test(value) ? '' : `; got ${value}`
}

/** The variables that only development may set. */
const DEVELOPMENT_ONLY = [
  'DEVELOPMENT_KEY_FILE',
  'DEVELOPMENT_KEY_4_FILE',
  'START_PAGE_FILE',
  'MAIL_PAGE_URL',
  'DEVELOPMENT_REDIRECT_URIS',
  'LOCALHOST_REDIRECTS',
]

/** Rejects each variable of DEVELOPMENT_ONLY that is set in production. */
export function refuseInProduction(config: Record<string, unknown>, { addIssue }: z.RefinementCtx) {
  if (config.NODE_ENV !== 'production') return
  for (const name of DEVELOPMENT_ONLY)
    if (Array.isArray(config[name]) ? config[name].length > 0 : config[name])
      addIssue({ code: 'custom', path: [name], message: 'must not be set in production' })
}
