import { isList, isRecord } from '../../../packages/engine/json/record.ts'

/** Writes JSON as a GraphQL literal, with keys without quotes. */
export function graphqlLiteral(json: unknown): string {
  if (isList(json)) return `[${json.map(graphqlLiteral).join(', ')}]`
  if (!isRecord(json)) return JSON.stringify(json)
  const members = Object.entries(json).map(([key, member]) => `${key}: ${graphqlLiteral(member)}`)
  return `{${members.join(', ')}}`
}
