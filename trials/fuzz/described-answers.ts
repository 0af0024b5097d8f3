import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { z } from 'zod'
import type { Attack, HttpAnswer } from './attack.ts'
import type { OpenApi } from './openapi.ts'

/** Says what is wrong with an answer, or null. */
export type AnswerJudge = (attack: Attack, answer: HttpAnswer) => string | null

/**
 * Holds answers against an OpenAPI document: the status, the media type and the body of an operation's answer are
 * among those that it describes. Answers of what is not described are right.
 */
export function describedAnswers({ paths, components }: z.infer<typeof OpenApi>): AnswerJudge {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  const compiled = new Map<object, ValidateFunction>()
  const validator = (schema: object) => {
    const known = compiled.get(schema) ?? ajv.compile({ ...schema, components })
    compiled.set(schema, known)
    return known
  }
  return ({ operation }, { status, type, body }) => {
    const [method = '', path = ''] = operation?.split(' ') ?? []
    const methods = Object.entries(paths[path] ?? {})
    const responses = methods.find(([name]) => name === method)?.[1]?.responses
    if (!responses || status === HEADERS_TOO_LARGE) return null
    const described = responses[status]
    if (!described) return `status ${status} is not described`
    const media = described.content[type]
    if (!media) return isEmptyAsDescribed(described, body) ? null : `${type} is not described`
    if (!type.endsWith('json')) return null
    const validate = validator(media.schema)
    if (validate(JSON.parse(body))) return null
    return `a body that is not described: ${ajv.errorsText(validate.errors).slice(0, 100)}`
  }
}

/** Node answers it, before any operation is known. */
const HEADERS_TOO_LARGE = 431

/** No content is described where there is no body, or one that only tells a person what the headers say. */
function isEmptyAsDescribed({ content }: { content: object }, body: string): boolean {
  return body === '' || Object.keys(content).length === 0
}
