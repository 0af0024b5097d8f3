import { PACKAGE_NAME, PACKAGE_VERSION } from '../config/version.ts'
import type { CommandLineProgram } from './command-line-program.ts'

/** Returns the help with the list of commands. */
export function helpOfAll(programs: readonly CommandLineProgram[]): string {
  const width = Math.max(...programs.map(({ name }) => name.length))
  const list = programs
    .map(({ name, description }) => `  ${name.padEnd(width)}  ${description}`)
    .join('\n')
  return `${PACKAGE_NAME} ${PACKAGE_VERSION}: serves a Hasura v2 project without Docker.

Usage: npx ${PACKAGE_NAME} COMMAND [OPTIONS]

${list}

npx ${PACKAGE_NAME} COMMAND --help lists the options of a command.

For a missing option, commands read HASURA_GRAPHQL_… variables, then .env, then config.yaml.`
}

/** Returns the help of one command: its options and examples. */
export function helpOf({ name, description, options, examples }: CommandLineProgram): string {
  const rows = Object.entries(options).map(([option, { value, about: meaning }]) => [
    `  --${option}${value ? ` ${value}` : ''}`,
    meaning,
  ])
  const width = Math.max(0, ...rows.map(([option = '']) => option.length))
  const list = rows.map(([option = '', meaning]) => `${option.padEnd(width)}  ${meaning}`)
  const commandLines = examples.map((example) => `  npx ${PACKAGE_NAME} ${example}`)
  return `npx ${PACKAGE_NAME} ${name}: ${description}.

Options:
${list.join('\n')}

Examples:
${commandLines.join('\n')}`
}
