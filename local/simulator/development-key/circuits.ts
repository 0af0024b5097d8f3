import { fileURLToPath } from 'node:url'
import { hashTemplates } from './circuit-packages.ts'
import { type CircuitName, CREDENTIAL_SIGNALS } from './key-files.ts'

/** A circuit for the compiler. */
export type Circuit = {
  /** The files that the main component needs: our templates, and the hash function. */
  sources: readonly string[]
  /** The text of the file with the main component. */
  main: string
}

/** The circuit of protocol 3.0, for a tree of the given depth. */
export function personhoodCircuit(depth: number): Circuit {
  return {
    sources: circuitSources('personhood'),
    main: `pragma circom 2.0.0;
include "personhood.circom";
component main {public [signalHash, externalNullifier]} = Personhood(${depth});
`,
  }
}

/** The circuit of protocol 4.0, for a tree of the given depth. */
export function credentialCircuit(depth: number): Circuit {
  return {
    sources: circuitSources('credential'),
    main: `pragma circom 2.0.0;
include "credential.circom";
component main {public [${CREDENTIAL_SIGNALS.join(', ')}]} = Credential(${depth});
`,
  }
}

function circuitSources(name: CircuitName): string[] {
  return [
    fileURLToPath(new URL(`./${name}.circom`, import.meta.url)),
    fileURLToPath(new URL('./merkle-root.circom', import.meta.url)),
    ...hashTemplates,
  ]
}
