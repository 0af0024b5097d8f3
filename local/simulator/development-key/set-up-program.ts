import { readFile, writeFile } from 'node:fs/promises'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { keyFilesIn } from './key-files.ts'
import { readR1cs } from './r1cs.ts'
import { setUpKeys } from './setup.ts'
import { toxicWaste } from './toxic-waste.ts'

/**
 * Makes the keys of a compiled circuit. A separate process, so that the keys of two circuits can be made at the same time.
 * Its arguments are the file with the constraints, the folder for the keys, and the circuit.
 */
const [r1cs = '', folder = '', name] = process.argv.slice(2)
const circuit = (['personhood', 'credential'] as const).find((each) => each === name)
const files = keyFilesIn(folder, requireValue(circuit, 'the name of a circuit'))
const keys = await setUpKeys(readR1cs(await readFile(r1cs)), toxicWaste)
await writeFile(files.zkeyFile, keys.zkey)
await writeFile(files.verificationKeyFile, JSON.stringify(keys.verificationKey, null, 2))
await writeFile(files.signalFactorsFile, JSON.stringify(keys.signalFactors.map(String)))
