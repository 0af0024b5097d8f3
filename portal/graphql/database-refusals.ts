type Refusal = {
  /** A text in Hasura's message, such as a constraint's name or a trigger's error. No other field of the error contains it. */
  marker: string
  /** The field at fault. */
  attribute?: string
  message: string
}

const REFUSALS: readonly Refusal[] = [
  {
    marker: 'a team must keep an owner',
    message: 'A team needs an owner. Make another member an owner first.',
  },
  {
    marker: 'action_app_id_action_key',
    attribute: 'action',
    message: 'This app already has an action with this identifier.',
  },
  {
    marker: 'action_repeat_needs_protocol_4_and_limit_1',
    attribute: 'allows_repeat',
    message:
      'Only an action with protocol 4.0 that each person may do once can allow a repeat. Switch “Repeat allowed” off.',
  },
  {
    marker: 'protocol cannot be changed',
    attribute: 'protocol',
    message:
      'This action has counted people, and could count them again with the other protocol. Create another action.',
  },
  {
    marker: 'redirect_app_id_redirect_uri_key',
    attribute: 'redirect_uri',
    message: 'This app already has this redirect URI.',
  },
  {
    marker: 'a redirect must be an HTTPS address',
    attribute: 'redirect_uri',
    message: 'Must begin with https:// and must not be on localhost.',
  },
  {
    marker: 'redirect_',
    attribute: 'redirect_uri',
    message:
      'Must be an https:// address of a website, without a fragment (#…). On a local platform, a staging app may also use http://localhost:<port>.',
  },
  {
    marker: 'transaction_app_id_reference_key',
    attribute: 'reference',
    message: 'This app already has a payment with this reference.',
  },
  {
    marker: 'transaction_app_id_transaction_id_key',
    attribute: 'transaction_id',
    message: 'This app already has a payment with this MiniKit id.',
  },
  {
    marker: 'pays_one_reference_key',
    attribute: 'transaction_hash',
    message: 'Your team already uses this transaction for another reference.',
  },
  {
    marker: 'team_blocked',
    message: 'This team is blocked. Contact the operator.',
  },
  {
    marker: 'no payments are read from this chain',
    attribute: 'chain',
    message: 'This platform does not read payments from this chain.',
  },
]

/** The begin of a message about a refused value. Hasura's code for this error is misleading: `permission-error`. */
const REFUSED_VALUE = 'Check constraint violation'

/** Explains why the database rejected a change, and names the field; null for an unknown message. */
export function databaseRefusal(message: string): Omit<Refusal, 'marker'> | null {
  const [, quota] = /quota_exceeded: (at most .*)/.exec(message) ?? []
  if (quota !== undefined) return { message: `You have reached the limit: ${quota}.` }
  const refusal = REFUSALS.find(({ marker }) => message.includes(marker)) ?? readRule(message)
  if (refusal) return refusal
  return message.includes(REFUSED_VALUE) ? { message: 'This value is not allowed here.' } : null
}

/** Reads the field and its rule from a message such as "Check constraint violation. to must be …; got …". */
function readRule(message: string): Omit<Refusal, 'marker'> | null {
  const [, attribute, rule] =
    /^Check constraint violation\. (\w+) must (.*?); got /s.exec(message) ?? []
  return attribute && rule ? { attribute, message: `Must ${rule}.` } : null
}
