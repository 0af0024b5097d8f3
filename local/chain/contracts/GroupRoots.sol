// SPDX-License-Identifier: GPL-3.0-or-later
pragma solidity ^0.8.30;

import {Owned} from "./Owned.sol";

/// The roots that an identity group has had. Each insertion of a person makes a new one, and people
/// hold proofs of an earlier one for a while; so each root is remembered with the moment it was
/// superseded, and whoever checks a proof decides how old is too old.
contract GroupRoots is Owned {
    /// The order of the BN254 scalar field: roots are numbers below it.
    uint256 private constant FIELD_ORDER =
        21888242871839275222246405745257275088548364400416034343698204186575808495617;

    uint256 public immutable rootHistoryExpiry;
    uint256 public latestRoot;

    /// When a root was last superseded, in seconds; zero for one that never was.
    mapping(uint256 root => uint128) private supersededAt;

    event RootPublished(uint256 indexed root, uint256 indexed superseded);

    error NotARoot(uint256 root);

    constructor(address owner_, uint256 rootHistoryExpiry_) Owned(owner_) {
        rootHistoryExpiry = rootHistoryExpiry_;
    }

    /// Makes `root` the latest one. Publishing the latest again changes nothing; publishing an earlier
    /// one makes it the latest again, as happens when the last insertion is undone.
    function publishRoot(uint256 root) external onlyOwner {
        // Zero stands for "no root yet" and must never become one that is valid.
        require(root > 0 && root < FIELD_ORDER, NotARoot(root));
        uint256 superseded = latestRoot;
        if (root == superseded) return;
        if (superseded > 0) supersededAt[superseded] = uint128(block.timestamp);
        latestRoot = root;
        emit RootPublished(root, superseded);
    }

    /// @return the root, or zero when it is unknown
    /// @return supersededTimestamp when it was superseded; zero for the latest and for an unknown one.
    ///         Given for an expired root, too.
    /// @return isValid whether it is the latest, or superseded no longer ago than the history's expiry
    function queryRoot(uint256 root)
        external
        view
        returns (uint256, uint128 supersededTimestamp, bool isValid)
    {
        if (root > 0 && root == latestRoot) return (root, 0, true);
        supersededTimestamp = supersededAt[root];
        if (supersededTimestamp == 0) return (0, 0, false);
        // A sum and not a difference: a local chain restarted after its clock was moved forward has
        // timestamps ahead of its time.
        return (root, supersededTimestamp, block.timestamp <= supersededTimestamp + rootHistoryExpiry);
    }
}
