import { parseArgs } from 'node:util'

export type Options = {
  help: boolean
  startEngine: boolean
  keepImages: boolean
  write: boolean
  /** The temporary folder of the engine in whose namespaces this process runs: an option that only the program itself gives. */
  room: string | undefined
}

/** `npm run test:containers -- --help`. */
export const HELP = `Usage: npm run test:containers [-- --start-engine --keep-images --write]

Builds the images, starts docker-compose.yml, and does with it what an operator does, as docs/operations says it; then
takes all of it away. It takes about ten minutes, and 8 GB of disk. What it uses has names of its own, so what else runs
in the same Docker stays as it is. When it is ended half-way, with an engine that was there before, what is left goes by
docker compose --project-name containers-test down --volumes.

  --start-engine  starts a Docker engine for this run and ends it, on Linux as root, where debootstrap is installed. The
                  engine runs in namespaces of its own, in a Debian that is made once (.cache/containers): nothing of it
                  is installed on this machine, and no network, mount or process of it is left behind.
  --keep-images   keeps that engine's images in the cache: the next run needs a few minutes less.
  --write         writes the results into docs/operations/containers.md.

Base images that are not there are taken from a registry; where none answers, they are made from Debian's and npm's packages.`

/** @throws TypeError for an option that there is not */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      'start-engine': { type: 'boolean', default: false },
      'keep-images': { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      room: { type: 'string' },
    },
  })
  return {
    help: values.help,
    startEngine: values['start-engine'],
    keepImages: values['keep-images'],
    write: values.write,
    room: values.room,
  }
}
