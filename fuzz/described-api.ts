import type { z } from 'zod'
import { OpenApi } from './endpoints.ts'

/** Every endpoint of the developer API, those that only our own services call included. */
export async function describedApi(baseUrl: string): Promise<z.infer<typeof OpenApi>> {
  const read = async (path: string) =>
    OpenApi.parse(await (await fetch(`${baseUrl}${path}`)).json())
  const [shown, internal] = [await read('/openapi.json'), await read('/hasura/openapi.json')]
  return { ...shown, paths: { ...shown.paths, ...internal.paths } }
}
