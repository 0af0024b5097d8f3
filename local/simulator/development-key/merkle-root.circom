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
