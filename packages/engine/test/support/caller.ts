import { SignJWT } from 'jose'
import { ENGINE_BOUNDS } from '../../../platform/parts/engine-bounds.ts'
import { type Message, openReadySocket, type Socket } from './socket.ts'
import { type EngineAnswer, type RunningEngine, readAnswer } from './start-engine.ts'

const SECRET = 'a secret of at least thirty-two characters'

/** The platform's limits, and the settings for the JWTs that `authorizationOf` signs. */
export const CALLER_SETTINGS = {
  ...ENGINE_BOUNDS,
  HASURA_GRAPHQL_JWT_SECRET: JSON.stringify({ type: 'HS256', key: SECRET }),
  ENGINE_CALLER_VARIABLES: 'x-hasura-team-id',
}

/** Returns the Authorization header of a user with the role `user`. The first word of the user's id is the team's id. */
export async function authorizationOf(user: string): Promise<string> {
  const claims = {
    'x-hasura-allowed-roles': ['user'],
    'x-hasura-default-role': 'user',
    'x-hasura-user-id': user,
    'x-hasura-team-id': user.split(' ')[0] ?? user,
  }
  const token = await new SignJWT({ 'https://hasura.io/jwt/claims': claims })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(SECRET))
  return `Bearer ${token}`
}

/** Sends one operation or a batch as a user over HTTP. */
export async function askAs(
  { url }: Pick<RunningEngine, 'url'>,
  user: string,
  request: Operation | readonly Operation[],
): Promise<EngineAnswer> {
  const headers = { 'content-type': 'application/json', authorization: await authorizationOf(user) }
  const body = JSON.stringify(request)
  return readAnswer(await fetch(`${url}/v1/graphql`, { method: 'POST', headers, body }))
}

type Operation = { query: string; variables?: object }

/** Opens a user's WebSocket and completes the handshake. */
export async function socketOf({ url }: Pick<RunningEngine, 'url'>, user: string): Promise<Socket> {
  return openReadySocket(url, { Authorization: await authorizationOf(user) })
}

/** Returns the next message of a type and drops the messages before it. */
export async function nextMessageOf(ws: Socket, type: string): Promise<Message> {
  for (;;) {
    const message = await ws.next()
    if (message.type === type) return message
  }
}
