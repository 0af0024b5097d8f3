// SPDX-License-Identifier: GPL-3.0-or-later
pragma solidity ^0.8.30;

/// Whoever owns the contract, named when it is made: its deployer is a factory that owns nothing.
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
