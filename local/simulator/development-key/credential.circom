pragma circom 2.0.0;

include "poseidon.circom";
include "merkle-root.circom";

// Constrains a number to this many bits.
template Range(bits) {
    signal input number;
    signal bit[bits];

    var sum = 0;
    for (var i = 0; i < bits; i++) {
        bit[i] <-- (number >> i) & 1;
        bit[i] * (bit[i] - 1) === 0;
        sum += bit[i] * (1 << i);
    }
    sum === number;
}

// "I know the secret behind a credential of this tree, which this issuer gave and which is valid for that long. This is
// my nullifier for this relying party and action, and this is the session that I opened with a value that I know."
// The public inputs are the 15 signals of protocol 4.0, in their order.
template Credential(depth) {
    signal input nullifier;
    signal input issuerSchemaId;
    signal input issuerKeyX;
    signal input issuerKeyY;
    signal input expiresAtMin;
    signal input genesisIssuedAtMin;
    signal input merkleRoot;
    signal input treeDepth;
    signal input rpId;
    signal input action;
    signal input oprfKeyX;
    signal input oprfKeyY;
    signal input signalHash;
    signal input nonce;
    signal input sessionId;

    signal input secret;
    signal input expiresAt;
    signal input genesisIssuedAt;
    signal input sessionRandomness;
    signal input isRight[depth];
    signal input sibling[depth];

    component commitment = Poseidon(1);
    commitment.inputs[0] <== secret;

    component leaf = Poseidon(4);
    leaf.inputs[0] <== commitment.out;
    leaf.inputs[1] <== issuerSchemaId;
    leaf.inputs[2] <== expiresAt;
    leaf.inputs[3] <== genesisIssuedAt;

    component tree = MerkleRoot(depth);
    tree.leaf <== leaf.out;
    for (var level = 0; level < depth; level++) {
        tree.isRight[level] <== isRight[level];
        tree.sibling[level] <== sibling[level];
    }
    merkleRoot === tree.root;
    treeDepth === depth;

    component nullifierHash = Poseidon(3);
    nullifierHash.inputs[0] <== secret;
    nullifierHash.inputs[1] <== rpId;
    nullifierHash.inputs[2] <== action;
    nullifier === nullifierHash.out;

    // Issuers give 64 bits for each time. So a difference in 64 bits means that the time is not below the bound.
    component remaining = Range(64);
    remaining.number <== expiresAt - expiresAtMin - 1;
    component bound = Range(64);
    bound.number <== genesisIssuedAtMin;
    component age = Range(64);
    age.number <== genesisIssuedAt - genesisIssuedAtMin;

    // A uniqueness proof has the session 0.
    component session = Poseidon(2);
    session.inputs[0] <== secret;
    session.inputs[1] <== sessionRandomness;
    sessionId * (sessionId - session.out) === 0;

    // Without a constraint, these inputs could be replaced in a finished proof.
    signal squares[6];
    squares[0] <== issuerKeyX * issuerKeyX;
    squares[1] <== issuerKeyY * issuerKeyY;
    squares[2] <== oprfKeyX * oprfKeyX;
    squares[3] <== oprfKeyY * oprfKeyY;
    squares[4] <== signalHash * signalHash;
    squares[5] <== nonce * nonce;
}
