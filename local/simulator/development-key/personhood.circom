pragma circom 2.0.0;

include "poseidon.circom";

// Computes the root of a binary tree of Poseidon hashes from a leaf and its path.
template MerkleRoot(depth) {
    signal input leaf;
    signal input isRight[depth];   // 1 where the node is the right child
    signal input sibling[depth];
    signal output root;

    signal node[depth + 1];
    signal step[depth];
    component parent[depth];

    node[0] <== leaf;
    for (var level = 0; level < depth; level++) {
        isRight[level] * (isRight[level] - 1) === 0;
        // The left child is the node, or its sibling if the node is the right child.
        step[level] <== isRight[level] * (sibling[level] - node[level]);
        parent[level] = Poseidon(2);
        parent[level].inputs[0] <== node[level] + step[level];
        parent[level].inputs[1] <== sibling[level] - step[level];
        node[level + 1] <== parent[level].out;
    }
    root <== node[depth];
}

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
