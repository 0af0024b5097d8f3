import { z } from 'zod'
import { ApiError, toApiError } from '../../lib/runtime/errors.ts'
import { requestContext } from '../../lib/runtime/http/request-context.ts'
import type { Context, Operation } from '../../lib/runtime/web/operation.ts'
import { MAX_RELAYED_BYTES } from '../route/body-sizes.ts'
import { acceptInvite } from './accept-invite.ts'
import { changeEmail } from './account/change-email.ts'
import { changePassword } from './account/change-password.ts'
import { deleteAccount } from './account/delete-account.ts'
import { type ActionServices, type Caller, type HasuraAction, noUserError } from './action.ts'
import { adoptClient } from './adopt-client.ts'
import { checkProof } from './check-proof/check-proof.ts'
import { createApiKey } from './create-api-key.ts'
import { removeClientSecret } from './remove-client-secret.ts'
import { requireLiveSession } from './require-live-session.ts'
import { resetApiKey } from './reset-api-key.ts'
import { resetClientSecret } from './reset-client-secret.ts'
import { actionStats } from './stats/action-stats.ts'
import { teamStats } from './stats/team-stats.ts'
import { createRequestKey, rotateRequestKey } from './store-request-key.ts'
import { createTeam } from './team/create-team.ts'
import { deleteTeam } from './team/delete-team.ts'
import { inviteTeamMembers } from './team/invite-team-members.ts'

/** Every Hasura action by its name in hasura/metadata/actions.yaml. */
export const hasuraActions: Readonly<Record<string, HasuraAction>> = {
  accept_invite: acceptInvite,
  action_stats: actionStats,
  change_email: changeEmail,
  change_password: changePassword,
  check_proof: checkProof,
  claim_client: adoptClient,
  create_api_key: createApiKey,
  create_request_key: createRequestKey,
  create_team: createTeam,
  delete_account: deleteAccount,
  delete_team: deleteTeam,
  invite_team_members: inviteTeamMembers,
  remove_client_secret: removeClientSecret,
  reset_api_key: resetApiKey,
  reset_client_secret: resetClientSecret,
  rotate_request_key: rotateRequestKey,
  team_stats: teamStats,
}

/** The body that Hasura posts when a client calls an action. */
export const ActionInput = z.object({
  action: z.object({ name: z.string() }),
  input: z.unknown(),
  session_variables: z.record(z.string(), z.string()),
})

/** The form of an error that Hasura passes on to its client. */
const ActionRefusal = z.strictObject({
  message: z.string(),
  extensions: z.strictObject({ code: z.string() }),
})

/**
 * Runs the action that Hasura names. actions.yaml says which roles may call an action, but Hasura's admin may call every
 * action. So this operation refuses a session without a user or an API key. It also refuses a session that has ended.
 */
export const runHasuraAction: Operation<ActionServices, z.infer<typeof ActionInput>> = {
  tag: 'Internal',
  summary: 'Run a Hasura action',
  answers: { 200: z.looseObject({}), 400: ActionRefusal },
  errors: ['unavailable'],
  maxBytes: MAX_RELAYED_BYTES,
  handle(services) {
    const table = new Map(
      Object.entries(hasuraActions).map(([name, createAction]) => [name, createAction(services)]),
    )
    return async ({ action, input, session_variables }, _request, response) => {
      try {
        const run = table.get(action.name)
        if (!run) throw new ApiError('not_found', { detail: 'No such action.' })
        const caller = actionCaller(session_variables, requestContext.get(response))
        await requireLiveSession(services.graphql, caller)
        response.json(await run(input, caller))
      } catch (thrown) {
        const { status, code, message } = toApiError(thrown)
        if (status >= 500) throw thrown
        response.status(400).json({ message, extensions: { code } })
      }
    }
  },
}

function actionCaller(
  session: Record<string, string>,
  { requestId }: Pick<Context, 'requestId'>,
): Caller {
  const {
    'x-hasura-user-id': userId,
    'x-hasura-api-key-id': keyId,
    'x-hasura-team-id': teamId,
  } = session
  const request = { 'x-request-id': requestId }
  if (userId) {
    const loginId = session['x-hasura-login-id'] ?? null
    return { userId, loginId, headers: { ...request, 'x-hasura-user-id': userId } }
  }
  if (!keyId || !teamId) throw noUserError()
  const ids = { 'x-hasura-api-key-id': keyId, 'x-hasura-team-id': teamId }
  return { keyId, teamId, headers: { ...request, ...ids } }
}
