import type { G2 } from '../../../lib/proof/field.ts'

/** A point on the twist outside the subgroup. Pairing libraries accept it unless they check the subgroup. */
export const outsideSubgroup: G2 = [
  [1n, 0n],
  [
    18278151005453108793778860132295291098363647455926340152056652516292830556603n,
    5912654199736721486680175016176231956195085055698687135131307249486702594212n,
  ],
]
