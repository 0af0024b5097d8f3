import { listOption, type Options, type Terminal } from './command-line-program.ts'

type Variables = Terminal['variables']

/** The option that passes one more variable of the shell to the project. */
export const ENV_OPTION = {
  env: {
    value: 'NAME',
    isRepeated: true,
    about:
      'passes a variable of your shell to the metadata, besides HASURA_GRAPHQL_… and ENGINE_…; repeatable',
  },
} as const

/** The shell's variables that a project may read, and the names of the shell's other variables. */
export type ShellVariables = { readable: Variables; withheldNames: ReadonlySet<string> }

/**
 * Chooses the shell's variables that a project may read: the engine's variables, and the variables that `--env` names. Metadata can send any
 * variable to any host (`https://host/{{NAME}}`), and a shell often holds cloud credentials. The project may read all of its `.env`.
 *
 * @throws Error if `--env` names a variable that the shell does not have
 */
export function shellVariables(options: Options, variables: Variables): ShellVariables {
  const requestedNames = listOption(options, 'env')
  const missingName = requestedNames.find((name) => variables[name] === undefined)
  if (missingName !== undefined)
    throw new Error(
      `--env ${missingName}: your shell has no variable of this name. Export it first.`,
    )
  const isReadable = (name: string) =>
    /^(HASURA_GRAPHQL|ENGINE)_/.test(name) || requestedNames.includes(name)
  const names = Object.keys(variables)
  return {
    readable: Object.fromEntries(Object.entries(variables).filter(([name]) => isReadable(name))),
    withheldNames: new Set(names.filter((name) => !isReadable(name))),
  }
}

/** Explains how to pass the withheld variables that a text names; null if it names none. */
export function explainWithheld(text: string, withheldNames: ReadonlySet<string>): string | null {
  const names = [...new Set(text.match(/\w+/g))].filter((name) => withheldNames.has(name))
  if (names.length === 0) return null
  const options = names.map((name) => `--env ${name}`).join(' ')
  return `Your shell has ${names.join(', ')}, but projects cannot read it. Pass it with ${options}, or write it to .env.`
}
