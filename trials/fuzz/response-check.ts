import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { z } from 'zod'
import type { Attack, HttpResponse } from './attack.ts'
import type { OpenApi } from './openapi.ts'

/** Describes the fault in a response, or returns null. */
export type ResponseCheck = (attack: Attack, answer: HttpResponse) => string | null

/**
 * Creates a check of responses against an OpenAPI document: it must describe the status, the media type and the body of each
 * response. Passes responses with 431, and responses to requests that reach no operation.
 */
export function createResponseCheck({ paths, components }: z.infer<typeof OpenApi>): ResponseCheck {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  const validators = new Map<object, ValidateFunction>()
  const getValidator = (schema: object) => {
    const validate = validators.get(schema) ?? ajv.compile({ ...schema, components })
    validators.set(schema, validate)
    return validate
  }
  return ({ operation }, { status, type, body }) => {
    const [method = '', path = ''] = operation?.split(' ') ?? []
    const methods = Object.entries(paths[path] ?? {})
    const responses = methods.find(([name]) => name === method)?.[1]?.responses
    if (!responses || status === HEADERS_TOO_LARGE) return null
    const response = responses[status]
    if (!response) return `status ${status} is not described`
    const media = response.content[type]
    if (!media) return isEmptyAsDescribed(response, body) ? null : `${type} is not described`
    if (!type.endsWith('json')) return null
    const validate = getValidator(media.schema)
    if (validate(JSON.parse(body))) return null
    return `a body that is not described: ${ajv.errorsText(validate.errors).slice(0, 100)}`
  }
}

/** Node rejects the request with this status before the server sees its path. */
const HEADERS_TOO_LARGE = 431

/** Reports whether the body may lack a description: it is empty, or the document describes no content for this status. */
function isEmptyAsDescribed({ content }: { content: object }, body: string): boolean {
  return body === '' || Object.keys(content).length === 0
}
