import { z } from 'zod'
import { EngineError } from '../../../errors.ts'
import { parseArgs } from '../../../metadata-store/edit/parse-args.ts'
import { fillInVariables, missingVariables } from '../../../outgoing/environment.ts'
import type { WebhookRequest } from '../../../outgoing/transform/webhook-request.ts'
import { invalidTransformError, readTransforms } from '../checks/webhook-transforms.ts'
import type { Command, CommandRequest } from '../command.ts'

/** Commands on the transformations of webhooks' requests and responses. */
export const webhookTransformCommands: readonly Command[] = [
  { type: 'test_webhook_transform', run: testWebhookTransform },
]

const Texts = z.record(z.string(), z.string())

const Test = z.object({
  /** Values that replace the server's environment variables, because a test must not show the variables' real values. */
  env: Texts.nullish(),
  webhook_url: z.union([z.string(), z.object({ from_env: z.string() })]),
  request_headers: z.array(z.tuple([z.string(), z.string()])).nullish(),
  body: z.unknown(),
  request_transform: z.looseObject({ request_headers: z.unknown().optional() }),
  response_transform: z.unknown().optional(),
  session_variables: Texts.nullish(),
})

/** `test_webhook_transform`: returns the transformed request, without sending it. */
async function testWebhookTransform({ args }: CommandRequest) {
  const test = parseArgs(Test, args)
  const { request_transform, response_transform } = test
  const transform = readTransforms({ request_transform, response_transform })
  const session = Object.entries(test.session_variables ?? {}).map(([name, value]) => [
    name.toLowerCase(),
    value,
  ])
  const original = requestToTransform(test)
  const transformed = transformToTest(() => transform(original, Object.fromEntries(session)))
  const { url, method, body } = transformed
  const headers = Object.entries(transformed.headers).map(([name, value]) => [
    name.toLowerCase(),
    value,
  ])
  return {
    webhook_url: url,
    method,
    headers,
    body: body && 'json' in body ? body.json : (body?.text ?? ''),
  }
}

function requestToTransform(test: z.infer<typeof Test>): WebhookRequest {
  const env = test.env ?? {}
  const { webhook_url, request_headers } = test
  const template = typeof webhook_url === 'string' ? webhook_url : `{{${webhook_url.from_env}}}`
  const texts = (request_headers ?? []).map(([, text]) => text)
  const [missing] = missingVariables([template, ...texts], env)
  if (missing !== undefined)
    throw new EngineError('not-found', `Missing Env Var: ${missing}`, {
      path: '$.args',
      status: 400,
    })
  const url = fillInVariables(template, env)
  if (!URL.canParse(url))
    throw invalidTransformError('request', [
      { error_code: 'Request Initialization Error', message: `"${url}" is not a URL` },
    ])
  const headers = (request_headers ?? []).map(([name, text]) => [name, fillInVariables(text, env)])
  return {
    method: 'GET',
    url: new URL(url).href,
    headers: Object.fromEntries(headers),
    body: { json: test.body },
  }
}

function transformToTest(transform: () => WebhookRequest): WebhookRequest {
  try {
    return transform()
  } catch (cause) {
    throw cause instanceof EngineError ? invalidTransformError('request', cause.internal) : cause
  }
}
