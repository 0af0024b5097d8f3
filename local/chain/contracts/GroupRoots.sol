// SPDX-License-Identifier: GPL-3.0-or-later
pragma solidity ^0.8.30;

import {Owned} from "./Owned.sol";

/// The current and earlier roots of an identity group. Each insertion of a person makes a new root, and
/// proofs for earlier roots are in use for a while. So each root is stored with the time at which it was
/// superseded, and the verifier decides which roots are too old.
contract GroupRoots is Owned {
    /// The order of the BN254 scalar field. A root must be below it.
    uint256 private constant FIELD_ORDER =
        21888242871839275222246405745257275088548364400416034343698204186575808495617;

    uint256 public immutable rootHistoryExpiry;
    uint256 public latestRoot;

    /// The time at which a root was last superseded, in seconds; zero if it never was.
    mapping(uint256 root => uint128) private supersededAt;

    event RootPublished(uint256 indexed root, uint256 indexed superseded);

    error NotARoot(uint256 root);

    constructor(address owner_, uint256 rootHistoryExpiry_) Owned(owner_) {
        rootHistoryExpiry = rootHistoryExpiry_;
    }

    /// Makes `root` the latest root. Publishing the latest root again changes nothing. Publishing an
    /// earlier root makes it the latest again.
    function publishRoot(uint256 root) external onlyOwner {
        // Zero means "no root yet" and must never become a valid root.
        require(root > 0 && root < FIELD_ORDER, NotARoot(root));
        uint256 superseded = latestRoot;
        if (root == superseded) return;
        if (superseded > 0) supersededAt[superseded] = uint128(block.timestamp);
        latestRoot = root;
        emit RootPublished(root, superseded);
    }

    /// @return the root, or zero when it is unknown
    /// @return supersededTimestamp the time at which it was superseded, even for an expired root; zero for
    ///         the latest root and for an unknown root
    /// @return isValid true if it is the latest root, or was superseded within the history's expiry
    function queryRoot(uint256 root)
        external
        view
        returns (uint256, uint128 supersededTimestamp, bool isValid)
    {
        if (root > 0 && root == latestRoot) return (root, 0, true);
        supersededTimestamp = supersededAt[root];
        if (supersededTimestamp == 0) return (0, 0, false);
        // A sum instead of a difference, which could underflow: after its clock was moved forward, a
        // restarted local chain has timestamps in the future.
        return (root, supersededTimestamp, block.timestamp <= supersededTimestamp + rootHistoryExpiry);
    }
}
