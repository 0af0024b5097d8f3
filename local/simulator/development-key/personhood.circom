pragma circom 2.0.0;

include "merkle-root.circom";
include "poseidon.circom";

// "I know the secrets behind one leaf of this tree, and this is my one nullifier for this purpose."
// The outputs and public inputs are, in this order: root, nullifierHash, signalHash, externalNullifier.
template Personhood(depth) {
    signal input identityNullifier;
    signal input identityTrapdoor;
    signal input isRight[depth];
    signal input sibling[depth];
    signal input signalHash;
    signal input externalNullifier;
    signal output root;
    signal output nullifierHash;

    component secret = Poseidon(2);
    secret.inputs[0] <== identityNullifier;
    secret.inputs[1] <== identityTrapdoor;

    component commitment = Poseidon(1);
    commitment.inputs[0] <== secret.out;

    component tree = MerkleRoot(depth);
    tree.leaf <== commitment.out;
    for (var level = 0; level < depth; level++) {
        tree.isRight[level] <== isRight[level];
        tree.sibling[level] <== sibling[level];
    }
    root <== tree.root;

    component nullifier = Poseidon(2);
    nullifier.inputs[0] <== externalNullifier;
    nullifier.inputs[1] <== identityNullifier;
    nullifierHash <== nullifier.out;

    // Without a constraint, the signal could be replaced in a finished proof.
    signal signalHashSquared;
    signalHashSquared <== signalHash * signalHash;
}
