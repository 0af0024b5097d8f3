import { expectThat, type World } from './world.ts'

/** How many instances of the embedded engine there are in Hasura's place. */
export const ENGINES = 3

/** Puts the embedded engine of docker-compose.engine.yml in Hasura's place, several times. */
export async function serveByEngines({ stack }: World, files: readonly string[]): Promise<string> {
  stack.useFiles(files)
  await stack.asDocumented('docs/operations/engine.md', 'engines')
  const instances = await stack.containers('hasura')
  expectThat(instances.length === ENGINES, `there are ${instances.length} engines`)
  const images = new Set(instances.map(({ Image }) => Image))
  expectThat(![...images].some((image) => image.startsWith('hasura/')), [...images].join())
  return `${ENGINES} of ${[...images].join()}`
}
