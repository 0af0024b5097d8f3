import { createRequire } from 'node:module'

// Vite's module runner, which imports modules for some tests, has no import.meta.resolve.
const require = createRequire(import.meta.url)

/** The program that compiles circuits. */
export const compiler = require.resolve('circom2/cli.js')

/** The compiler's package.json, which changes with the compiler's version. */
export const compilerDescription = require.resolve('circom2/package.json')

/** The templates of the hash function. */
export const hashTemplates: readonly string[] = [
  require.resolve('circomlib/circuits/poseidon.circom'),
  require.resolve('circomlib/circuits/poseidon_constants.circom'),
]
