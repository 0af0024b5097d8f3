type Refusal = {
  /** What Hasura's message names: a constraint, or what a trigger raises. Hasura has no other field for it. */
  named: string
  /** The field that it is about. */
  attribute?: string
  message: string
}

const REFUSALS: readonly Refusal[] = [
  {
    named: 'a team must keep an owner',
    message: 'A team needs an owner. Make another member an owner first.',
  },
  {
    named: 'action_app_id_action_key',
    attribute: 'action',
    message: 'This app already has an action with this identifier.',
  },
  {
    named: 'redirect_app_id_redirect_uri_key',
    attribute: 'redirect_uri',
    message: 'This app already has this redirect URI.',
  },
  {
    named: 'a redirect must be an HTTPS address',
    attribute: 'redirect_uri',
    message: 'Must begin with https:// and must not be on localhost.',
  },
  {
    named: 'redirect_',
    attribute: 'redirect_uri',
    message: 'Must be an https:// address of a website, without a fragment (#…).',
  },
  {
    named: 'transaction_app_id_reference_key',
    attribute: 'reference',
    message: 'This app already has a payment with this reference.',
  },
  {
    named: 'pays_one_reference_key',
    attribute: 'transaction_hash',
    message: 'Your team already uses this transaction for another reference.',
  },
  {
    named: 'no payments are read from this chain',
    attribute: 'chain',
    message: 'This platform does not read payments from this chain.',
  },
  {
    // The code of this one says that it is about a role.
    named: 'Check constraint violation',
    message: 'This value is not allowed here.',
  },
]

/** Why the database refused a change, and the field that it is about; null if it is nothing that we know. */
export function databaseRefusal(message: string): Omit<Refusal, 'named'> | null {
  const [, quota] = /quota_exceeded: (at most .*)/.exec(message) ?? []
  if (quota !== undefined) return { message: `You have reached the limit: ${quota}.` }
  return REFUSALS.find(({ named }) => message.includes(named)) ?? null
}
