import { expectThat, type World } from './world.ts'

/** The number of instances of the embedded engine. */
export const ENGINES = 3

/** Replaces Hasura by several instances of the embedded engine (docker-compose.engine.yml). */
export async function serveByEngines({ stack }: World, files: readonly string[]): Promise<string> {
  stack.useFiles(files)
  await stack.asDocumented('docs/operations/engine.md', 'engines')
  const instances = await stack.containers('hasura')
  expectThat(
    instances.length === ENGINES,
    `the stack must have ${ENGINES} engines; got ${instances.length}`,
  )
  const images = new Set(instances.map(({ Image }) => Image))
  expectThat(![...images].some((image) => image.startsWith('hasura/')), [...images].join())
  return `${ENGINES} of ${[...images].join()}`
}
