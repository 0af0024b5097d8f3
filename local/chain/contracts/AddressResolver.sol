// SPDX-License-Identifier: GPL-3.0-or-later
pragma solidity ^0.8.30;

import {NameRegistry} from "./NameRegistry.sol";

/// Stores the address of each name.
contract AddressResolver {
    NameRegistry private immutable registry;

    mapping(bytes32 node => address) public addr;

    event AddrChanged(bytes32 indexed node, address newAddress);

    error NotTheNameOwner(bytes32 node);

    constructor(NameRegistry registry_) {
        registry = registry_;
    }

    function setAddr(bytes32 node, address newAddress) external {
        require(msg.sender == registry.owner(node), NotTheNameOwner(node));
        addr[node] = newAddress;
        emit AddrChanged(node, newAddress);
    }
}
