import { parseArgs } from 'node:util'

export type Options = {
  help: boolean
  startEngine: boolean
  keepImages: boolean
  write: boolean
  /** The control group of the engine's containers. The program sets this option when it runs itself in namespaces. */
  room: string | undefined
}

/** `npm run test:containers -- --help`. */
export const HELP = `Usage: npm run test:containers [-- --start-engine --keep-images --write]

Builds the images, starts docker-compose.yml, and runs the commands of docs/operations on it, as an operator would. Then
removes everything. It takes about ten minutes and 8 GB of disk. It uses separate names, so other containers in the same
Docker are not affected. But at the end it removes all images named personhood-platform/…. After an interrupted run, clean
up with docker compose --project-name containers-test down --volumes.

  --start-engine  starts a Docker engine for this run. Needs Linux, root and debootstrap. The engine runs in separate
                  namespaces, in a Debian that is created once (.cache/containers). It installs nothing on this machine,
                  and leaves no network, mount or process behind.
  --keep-images   keeps the images of that engine in the cache, so the next run is a few minutes faster.
  --write         writes the results into docs/operations/containers.md.

Missing base images are pulled from a registry. If no registry answers, they are built from Debian and npm packages.`

/** @throws TypeError for an unknown option */
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
