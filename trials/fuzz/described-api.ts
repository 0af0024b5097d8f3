import type { z } from 'zod'
import { OpenApi } from './openapi.ts'

/** Every endpoint of the developer API, those that only our own services call included. */
export async function describedApi(baseUrl: string): Promise<z.infer<typeof OpenApi>> {
  const shown = await readDescription(`${baseUrl}/openapi.json`)
  const internal = await readDescription(`${baseUrl}/hasura/openapi.json`)
  return { ...shown, paths: { ...shown.paths, ...internal.paths } }
}

/** Every endpoint of the sign-in server, with the pages that only a person's browser visits. */
export async function describedSignIn(authUrl: string): Promise<z.infer<typeof OpenApi>> {
  const shown = await readDescription(`${authUrl}/openapi.json`)
  return { ...shown, paths: { ...shown.paths, ...PAGES } }
}

async function readDescription(url: string) {
  return OpenApi.parse(await (await fetch(url)).json())
}

const parameters = [{ name: 'uid', in: 'path', schema: { type: 'string' } }]

const { paths: PAGES } = OpenApi.parse({
  paths: {
    '/authorize/{uid}': { get: { parameters } },
    '/login/{uid}': {
      get: { parameters },
      post: {
        parameters,
        requestBody: {
          content: { 'application/x-www-form-urlencoded': { schema: formOf('proof', 'csrf') } },
        },
      },
    },
    '/login/{uid}/cancel': { post: { parameters } },
  },
})

function formOf(...names: string[]) {
  return { properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) }
}
