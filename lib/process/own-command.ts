/** Node strips no types under `node_modules`: what runs as JavaScript is the package that npm publishes. */
export const IS_PACKAGE = import.meta.url.endsWith('.js')

/** The name of the package and of its program. */
const PROGRAM = 'personhood-platform'

type Command = 'start' | 'demo' | 'simulate' | 'chain'

/**
 * How a person at a terminal types one of our commands: with npm in this repository, with npx elsewhere.
 *
 * @param words its options, if any
 */
export function ownCommand(name: Command, words = ''): string {
  if (IS_PACKAGE)
    return [`npx ${PROGRAM}`, ...(name === 'start' ? [] : [name]), words].join(' ').trim()
  return words ? `${NPM[name]} -- ${words}` : NPM[name]
}

/** What is printed for another program is printed without what npm says. */
const NPM: Record<Command, string> = {
  start: 'npm start',
  demo: 'npm run demo',
  simulate: 'npm run --silent simulate',
  chain: 'npm run chain',
}
