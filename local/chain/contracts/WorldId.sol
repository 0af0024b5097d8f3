// SPDX-License-Identifier: GPL-3.0-or-later
pragma solidity ^0.8.30;

import {Bn254} from "./Bn254.sol";
import {Owned} from "./Owned.sol";

/// The verifier contract of protocol 4.0, and the registries that it reads: roots, credential issuers and the
/// OPRF keys of relying parties. On the public chain these are separate contracts, so the getters return their
/// addresses. Here each getter returns this contract.
contract WorldId is Owned {
    /// A public key of an issuer or of a relying party.
    struct Point {
        uint256 x;
        uint256 y;
    }

    uint256 public constant getTreeDepth = 30;

    /// How long a root stays valid after it was published, in seconds, if it is not the latest.
    uint256 public immutable getRootValidityWindow;

    /// How old `expiresAtMin` may be, in seconds.
    uint256 public immutable getMinExpirationThreshold;

    uint256 public getLatestRoot;

    /// The verification key, in the order of `Bn254.requireProof`.
    uint256[46] private key;

    mapping(uint256 root => uint256) private publishedAt;
    mapping(uint64 issuerSchemaId => Point) private issuerKeys;
    mapping(uint160 oprfKeyId => Point) private oprfKeys;

    event RootPublished(uint256 indexed root);
    event IssuerRegistered(uint64 indexed issuerSchemaId, uint256 x, uint256 y);
    event OprfKeyRegistered(uint160 indexed oprfKeyId, uint256 x, uint256 y);

    error InvalidMerkleRoot();
    error UnregisteredIssuerSchemaId();
    error ExpirationTooOld();
    error InvalidAction();
    error UnknownId(uint160 id);

    constructor(
        address owner_,
        uint256 rootValidityWindow,
        uint256 minExpirationThreshold,
        uint256[46] memory verificationKey
    ) Owned(owner_) {
        getRootValidityWindow = rootValidityWindow;
        getMinExpirationThreshold = minExpirationThreshold;
        key = verificationKey;
    }

    /// Makes `root` the latest root.
    function publishRoot(uint256 root) external onlyOwner {
        getLatestRoot = root;
        publishedAt[root] = block.timestamp;
        emit RootPublished(root);
    }

    /// Sets the public key of an issuer. The key (0, 0) removes the issuer.
    function registerIssuer(uint64 issuerSchemaId, Point calldata point) external onlyOwner {
        issuerKeys[issuerSchemaId] = point;
        emit IssuerRegistered(issuerSchemaId, point.x, point.y);
    }

    /// Sets the OPRF key of a relying party. The id of the key is the id of the relying party.
    function registerOprfKey(uint160 oprfKeyId, Point calldata point) external onlyOwner {
        oprfKeys[oprfKeyId] = point;
        emit OprfKeyRegistered(oprfKeyId, point.x, point.y);
    }

    /// Reverts unless the proof is valid for an action of the relying party's own choice.
    function verify(
        uint256 nullifier,
        uint256 action,
        uint64 rpId,
        uint256 nonce,
        uint256 signalHash,
        uint64 expiresAtMin,
        uint64 issuerSchemaId,
        uint256 credentialGenesisIssuedAtMin,
        uint256[5] calldata zeroKnowledgeProof
    ) external view {
        require(action >> 248 == 0, InvalidAction());
        uint256[15] memory inputs = chainInputs(rpId, expiresAtMin, issuerSchemaId, zeroKnowledgeProof[4]);
        (inputs[0], inputs[5], inputs[9]) = (nullifier, credentialGenesisIssuedAtMin, action);
        (inputs[12], inputs[13]) = (signalHash, nonce);
        requireProof(zeroKnowledgeProof, inputs);
    }

    /// Reverts unless the proof is valid for a session. The wallet chooses the action of each session proof.
    function verifySession(
        uint64 rpId,
        uint256 nonce,
        uint256 signalHash,
        uint64 expiresAtMin,
        uint64 issuerSchemaId,
        uint256 credentialGenesisIssuedAtMin,
        uint256 sessionId,
        uint256[2] calldata sessionNullifier,
        uint256[5] calldata zeroKnowledgeProof
    ) external view {
        require(sessionNullifier[1] >> 248 == 2, InvalidAction());
        uint256[15] memory inputs = chainInputs(rpId, expiresAtMin, issuerSchemaId, zeroKnowledgeProof[4]);
        (inputs[0], inputs[5], inputs[9]) =
            (sessionNullifier[0], credentialGenesisIssuedAtMin, sessionNullifier[1]);
        (inputs[12], inputs[13], inputs[14]) = (signalHash, nonce, sessionId);
        requireProof(zeroKnowledgeProof, inputs);
    }

    function isValidRoot(uint256 root) public view returns (bool) {
        // Zero means "no root yet".
        if (root > 0 && root == getLatestRoot) return true;
        uint256 time = publishedAt[root];
        return time > 0 && block.timestamp <= time + getRootValidityWindow;
    }

    /// @return the issuer's key, or (0, 0) for an unknown issuer
    function issuerSchemaIdToPubkey(uint64 issuerSchemaId) external view returns (Point memory) {
        return issuerKeys[issuerSchemaId];
    }

    /// Reverts with UnknownId if the relying party has no key.
    function getOprfPublicKey(uint160 oprfKeyId) public view returns (Point memory point) {
        point = oprfKeys[oprfKeyId];
        require(point.x != 0 || point.y != 0, UnknownId(oprfKeyId));
    }

    function getWorldIDRegistry() external view returns (address) {
        return address(this);
    }

    function getCredentialSchemaIssuerRegistry() external view returns (address) {
        return address(this);
    }

    function getOprfKeyRegistry() external view returns (address) {
        return address(this);
    }

    /// Returns the public inputs that the caller does not choose freely. The other inputs are 0.
    function chainInputs(uint64 rpId, uint64 expiresAtMin, uint64 issuerSchemaId, uint256 root)
        private
        view
        returns (uint256[15] memory inputs)
    {
        require(isValidRoot(root), InvalidMerkleRoot());
        Point memory issuerKey = issuerKeys[issuerSchemaId];
        require(issuerKey.x != 0 && issuerKey.y != 0, UnregisteredIssuerSchemaId());
        Point memory oprfKey = getOprfPublicKey(rpId);
        require(expiresAtMin + getMinExpirationThreshold >= block.timestamp, ExpirationTooOld());
        (inputs[1], inputs[2], inputs[3]) = (issuerSchemaId, issuerKey.x, issuerKey.y);
        (inputs[4], inputs[6], inputs[7]) = (expiresAtMin, root, getTreeDepth);
        (inputs[8], inputs[10], inputs[11]) = (rpId, oprfKey.x, oprfKey.y);
    }

    function requireProof(uint256[5] calldata words, uint256[15] memory inputs) private view {
        Bn254.requireProof(key, [words[0], words[1], words[2], words[3]], inputs);
    }
}
