// SPDX-License-Identifier: GPL-3.0-or-later
pragma solidity ^0.8.30;

/// The owner and the resolver of each name. Names are stored by ENS namehash:
/// node(label.parent) = keccak256(node(parent), keccak256(label)), and the root is zero.
contract NameRegistry {
    struct Entry {
        address owner;
        address resolver;
    }

    mapping(bytes32 node => Entry) private entries;

    event NewResolver(bytes32 indexed node, address resolver);
    event NewOwner(bytes32 indexed parent, bytes32 indexed label, address owner);

    error NotTheNameOwner(bytes32 node);

    constructor(address rootOwner) {
        entries[bytes32(0)].owner = rootOwner;
    }

    /// Gives `label` under `parent` to an owner. Only the owner of the parent may call this; a second call
    /// replaces the owner, as in ENS.
    function setSubnodeRecord(bytes32 parent, bytes32 label, address newOwner, address newResolver) external {
        require(msg.sender == entries[parent].owner, NotTheNameOwner(parent));
        bytes32 node = keccak256(abi.encodePacked(parent, label));
        entries[node] = Entry(newOwner, newResolver);
        emit NewOwner(parent, label, newOwner);
        emit NewResolver(node, newResolver);
    }

    function owner(bytes32 node) external view returns (address) {
        return entries[node].owner;
    }

    function resolver(bytes32 node) external view returns (address) {
        return entries[node].resolver;
    }
}
