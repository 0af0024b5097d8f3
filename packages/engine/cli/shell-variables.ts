import { listOption, type Options, type Terminal } from './command-line-program.ts'

type Variables = Terminal['variables']

/** The option that gives a project one more variable of the shell. */
export const ENV_OPTION = {
  env: {
    value: 'NAME',
    isRepeated: true,
    about:
      'a variable of your shell that the metadata may name, besides HASURA_GRAPHQL_… and ENGINE_…; may be repeated',
  },
} as const

/** The variables of a shell, as far as a project may read them, and the names of the others. */
export type ShellVariables = { given: Variables; withheld: ReadonlySet<string> }

/**
 * Metadata sends a variable wherever it likes (`https://host/{{NAME}}`), and a shell has the keys of its owner's clouds. So a
 * project gets the engine's own variables, and those that `--env` names. What is in `.env` is the project's already.
 *
 * @throws Error where `--env` names a variable that the shell does not have
 */
export function shellVariables(options: Options, variables: Variables): ShellVariables {
  const named = listOption(options, 'env')
  const unknown = named.find((name) => variables[name] === undefined)
  if (unknown !== undefined)
    throw new Error(`--env ${unknown}: your shell has no variable of this name. Set and export it.`)
  const isGiven = (name: string) => /^(HASURA_GRAPHQL|ENGINE)_/.test(name) || named.includes(name)
  const names = Object.keys(variables)
  return {
    given: Object.fromEntries(Object.entries(variables).filter(([name]) => isGiven(name))),
    withheld: new Set(names.filter((name) => !isGiven(name))),
  }
}

/** What to do about variables that a text names, and that the shell keeps to itself; null where it names none. */
export function explainWithheld(text: string, withheld: ReadonlySet<string>): string | null {
  const names = [...new Set(text.match(/\w+/g))].filter((name) => withheld.has(name))
  if (names.length === 0) return null
  const options = names.map((name) => `--env ${name}`).join(' ')
  return `Your shell has ${names.join(', ')}, which a project does not read. Pass it with ${options}, or write it to .env.`
}
