import type { Names } from './audit-names.ts'
import type { Entry } from './audit-query.ts'
import { parseChanges } from './changes.ts'

/** The subjects of the filter, in its order. */
export const SUBJECTS = [
  { value: 'app', label: 'Apps' },
  { value: 'action', label: 'Actions' },
  { value: 'transaction', label: 'Payments' },
  { value: 'api_key', label: 'API keys' },
  { value: 'membership', label: 'Members' },
  { value: 'invite', label: 'Invites' },
  { value: 'redirect', label: 'Redirect URIs' },
  { value: 'request_key', label: 'Request signing keys' },
  { value: 'sign_in_client', label: 'Sign-in secrets' },
  { value: 'team', label: 'The team' },
  { value: 'person', label: 'Deleted people' },
  { value: 'export', label: 'Exports' },
  { value: 'import', label: 'Imports' },
]

/** The words before the name of a changed thing, by subject and operation. */
const DEEDS: ReadonlyMap<string, string> = new Map([
  ['app insert', 'Created the app'],
  ['app update', 'Changed the app'],
  ['app delete', 'Deleted the app'],
  ['action insert', 'Created the action'],
  ['action update', 'Changed the action'],
  ['action delete', 'Deleted the action'],
  ['transaction update', 'Corrected the payment'],
  ['transaction delete', 'Removed the payment'],
  ['api_key insert', 'Created the API key'],
  ['api_key update', 'Changed the API key'],
  ['api_key delete', 'Deleted the API key'],
  ['membership insert', 'Added the member'],
  ['membership update', 'Changed the role of'],
  ['membership delete', 'Removed the member'],
  ['invite insert', 'Invited'],
  ['invite update', 'Invited again'],
  ['invite delete', 'Ended the invite of'],
  ['redirect insert', 'Added the redirect URI'],
  ['redirect update', 'Changed the redirect URI'],
  ['redirect delete', 'Removed the redirect URI'],
  ['request_key insert', 'Created a request signing key'],
  ['request_key update', 'Changed a request signing key'],
  ['request_key delete', 'Deleted a request signing key'],
  ['sign_in_client insert', 'Set up the sign-in of'],
  ['sign_in_client update', 'Changed the sign-in of'],
  ['sign_in_client delete', 'Ended the sign-in of'],
  ['team insert', 'Created the team'],
  ['team update', 'Changed the team'],
  ['team delete', 'Deleted the team'],
  ['person delete', 'Deleted a person'],
  ['export insert', 'Exported the data of the team'],
  ['import insert', 'Imported an app'],
])

/** Says what an entry did, before the name of its thing. */
export function deedInWords({ subject, operation }: Entry): string {
  return DEEDS.get(`${subject} ${operation}`) ?? `${subject} ${operation}`.replaceAll('_', ' ')
}

/** The columns with the name of the thing. */
const NAME_COLUMNS = ['name', 'action', 'reference', 'redirect_uri', 'email', 'address', 'user_id']

/** Returns the name and the address of the thing of an entry. A deleted thing has its last name, or its id. */
export function thingOf({ subject_id, changes }: Entry, names: Names) {
  const thing = names.get(subject_id)
  if (thing) return thing
  const values = parseChanges(changes)
  for (const column of NAME_COLUMNS) {
    const name = values[column]?.new ?? values[column]?.old
    if (typeof name === 'string' && name !== '') return { name: names.get(name)?.name ?? name }
  }
  return { name: subject_id }
}

const ROLES: ReadonlyMap<string, string> = new Map([
  ['user', 'A former member'],
  ['api_key', 'A deleted API key'],
  ['service', 'The platform'],
  ['admin', 'The operator'],
  ['reviewer', 'The operator'],
  ['database', 'The operator'],
])

/** Returns who made the change of an entry. */
export function actorOf({ actor_id, actor_role }: Entry, names: Names) {
  return names.get(actor_id ?? '') ?? { name: ROLES.get(actor_role) ?? actor_role }
}

const COLUMNS: ReadonlyMap<string, string> = new Map([
  ['app_id', 'App'],
  ['user_id', 'User'],
  ['team_id', 'Team'],
  ['action', 'Identifier'],
  ['max_verifications', 'Limit'],
  ['return_url', 'Return address'],
  ['allows_repeat', 'Repeat allowed'],
  ['is_staging', 'Staging'],
  ['is_archived', 'Archived'],
  ['is_verified', 'Verified'],
  ['is_active', 'Active'],
  ['creates_actions', 'Creates unknown actions'],
  ['secret', 'Secret'],
  ['registration_token', 'Registration token'],
  ['redirect_uri', 'Redirect URI'],
  ['email', 'E-mail address'],
  ['mailed_at', 'Mail sent'],
  ['to', 'Receiver'],
  ['token_amount', 'Amount'],
  ['transaction_id', 'MiniKit id'],
  ['expected_from', 'Expected payer'],
  ['not_before', 'Not before'],
  ['blocked_at', 'Blocked'],
  ['deleted_at', 'Deleted'],
  ['most', 'Quota'],
])

/** Returns the label of a column. */
export function columnInWords(column: string): string {
  const words = column.replaceAll('_', ' ')
  return COLUMNS.get(column) ?? `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}
