// SPDX-License-Identifier: GPL-3.0-or-later
pragma solidity ^0.8.30;

/// A contract with an owner. The owner is an argument of the constructor, because the sender is a CREATE2 factory.
abstract contract Owned {
    address public immutable owner;

    error NotTheOwner();

    constructor(address owner_) {
        owner = owner_;
    }

    modifier onlyOwner() {
        require(msg.sender == owner, NotTheOwner());
        _;
    }
}
