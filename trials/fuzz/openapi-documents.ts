import type { z } from 'zod'
import { OpenApi } from './openapi.ts'

/** Reads every endpoint of the developer API, including the endpoints that only the platform's services call. */
export async function readApiDocument(baseUrl: string): Promise<z.infer<typeof OpenApi>> {
  const document = await fetchDocument(`${baseUrl}/openapi.json`)
  const internal = await fetchDocument(`${baseUrl}/hasura/openapi.json`)
  return { ...document, paths: { ...document.paths, ...internal.paths } }
}

/** Reads every endpoint of the sign-in server, and adds the pages that only browsers visit. */
export async function readSignInDocument(authUrl: string): Promise<z.infer<typeof OpenApi>> {
  const document = await fetchDocument(`${authUrl}/openapi.json`)
  return { ...document, paths: { ...document.paths, ...PAGES } }
}

async function fetchDocument(url: string) {
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
          content: { 'application/x-www-form-urlencoded': { schema: createForm('proof', 'csrf') } },
        },
      },
    },
    '/login/{uid}/cancel': { post: { parameters } },
  },
})

function createForm(...names: string[]) {
  return { properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) }
}
