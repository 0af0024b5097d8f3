/** The terminal in which a command runs: the variables of the process, and the two outputs. */
export type Terminal = {
  /** The variables of the process. */
  variables: Readonly<Record<string, string | undefined>>
  /** Writes a line to standard output. */
  write(line: string): void
  /** Writes a line about an error to standard error. */
  complain(line: string): void
}

/** The options of a command line, by name without dashes. */
export type Options = Readonly<
  Record<string, string | boolean | readonly (string | boolean)[] | undefined>
>

/** A command of the program. */
export type CommandLineProgram = {
  name: string
  /** The effect of the command, in one line for its help. */
  description: string
  /** The options by name. `value` is the placeholder for an option's value in the help; flags have none. */
  options: Readonly<Record<string, { value?: string; isRepeated?: boolean; about: string }>>
  examples: readonly string[]
  /** @returns the exit code */
  run(options: Options, terminal: Terminal): Promise<number>
}

/** Returns the value of an option, or undefined if the command line does not have it. */
export function textOption(options: Options, name: string): string | undefined {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

/** Returns the values of a repeatable option. */
export function listOption(options: Options, name: string): string[] {
  return [options[name]].flat().filter((value) => typeof value === 'string')
}

/** Returns the option `--port`, or undefined if it is missing. @throws Error if it is not a port */
export function portOption(options: Options): string | undefined {
  const port = textOption(options, 'port')
  if (port === undefined || (/^\d{1,5}$/.test(port) && Number(port) <= 65_535)) return port
  throw new Error(`--port must be a number from 0 (any free port) to 65535; got ${port}.`)
}

/** Returns the option `--database-url`, or undefined if it is missing. @throws Error if it is not an address of a PostgreSQL */
export function databaseUrlOption(options: Options): string | undefined {
  const url = textOption(options, 'database-url')
  if (url === undefined || (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url))) return url
  throw new Error(
    '--database-url must be the address of a PostgreSQL, such as postgres://user:password@localhost:5432/name.',
  )
}

/** The options that choose the project. */
export const PROJECT_OPTIONS = {
  project: { value: 'FOLDER', about: 'the folder with config.yaml; default: the current folder' },
  envfile: {
    value: 'FILE',
    about: "the file with variables, relative to the project's folder; default: .env",
  },
} as const

/** The options that choose the server. */
export const SERVER_OPTIONS = {
  endpoint: { value: 'URL', about: 'the server: this engine or a Hasura' },
  'admin-secret': { value: 'SECRET', about: 'its admin secret' },
} as const

/** Returns the options that `readProject` takes. */
export function projectOptions(options: Options) {
  return {
    project: textOption(options, 'project'),
    envfile: textOption(options, 'envfile'),
    endpoint: textOption(options, 'endpoint'),
    'admin-secret': textOption(options, 'admin-secret'),
  }
}
