/** Where a command reads variables from, and writes what it has to say. */
export type Terminal = {
  /** The variables of the process. */
  variables: Readonly<Record<string, string | undefined>>
  /** Writes a line of the answer. */
  write(line: string): void
  /** Writes a line about something that is wrong. */
  complain(line: string): void
}

/** The options that were typed, by their names without dashes. */
export type Options = Readonly<
  Record<string, string | boolean | readonly (string | boolean)[] | undefined>
>

/** A command of the program. */
export type CommandLineProgram = {
  name: string
  /** What it does, in one line. */
  about: string
  /** Its options by their names; `value` stands for what is typed after it, and is missing where nothing is. */
  options: Readonly<Record<string, { value?: string; isRepeated?: boolean; about: string }>>
  examples: readonly string[]
  /** @returns the exit code */
  run(options: Options, terminal: Terminal): Promise<number>
}

/** An option that takes a value; undefined if it was not typed. */
export function textOption(options: Options, name: string): string | undefined {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

/** The values of an option that may be repeated. */
export function listOption(options: Options, name: string): string[] {
  return [options[name]].flat().filter((value) => typeof value === 'string')
}

/** The option `--port`; undefined if it was not typed. @throws Error where it is no port */
export function portOption(options: Options): string | undefined {
  const port = textOption(options, 'port')
  if (port === undefined || (/^\d{1,5}$/.test(port) && Number(port) <= 65_535)) return port
  throw new Error(`--port ${port} is no port: these are numbers from 1 to 65535.`)
}

/** The option `--database-url`; undefined if it was not typed. @throws Error where it is no address */
export function databaseUrlOption(options: Options): string | undefined {
  const url = textOption(options, 'database-url')
  if (url === undefined || (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url))) return url
  throw new Error(
    'The --database-url is not the address of a PostgreSQL, such as postgres://user:password@localhost:5432/name.',
  )
}

/** The options that say which project is meant. */
export const PROJECT_OPTIONS = {
  project: { value: 'FOLDER', about: 'the folder with config.yaml; this one, if not given' },
  envfile: { value: 'FILE', about: 'the file with variables; .env, if not given' },
} as const

/** The options that say which server is meant. */
export const SERVER_OPTIONS = {
  endpoint: { value: 'URL', about: 'the server: this engine or a Hasura' },
  'admin-secret': { value: 'SECRET', about: 'its admin secret' },
} as const

/** The project's part of the options. */
export function projectOptions(options: Options) {
  return {
    project: textOption(options, 'project'),
    envfile: textOption(options, 'envfile'),
    endpoint: textOption(options, 'endpoint'),
    'admin-secret': textOption(options, 'admin-secret'),
  }
}
