// SPDX-License-Identifier: GPL-3.0-or-later
pragma solidity ^0.8.30;

import {NameRegistry} from "./NameRegistry.sol";

/// Finds the resolver of a name and forwards a call to it. Imitates `resolveWithGateways` of the ENS
/// universal resolver and its errors, without off-chain lookups.
contract UniversalResolver {
    // Immutable, so it is part of the code. So it is enough to set the code of the well-known address.
    NameRegistry private immutable registry;

    error DNSDecodingFailed(bytes dns);
    error ResolverNotFound(bytes name);
    error ResolverNotContract(bytes name, address resolver);
    error ResolverError(bytes errorData);
    error UnsupportedResolverProfile(bytes4 selector);

    constructor(NameRegistry registry_) {
        registry = registry_;
    }

    /// @param name in DNS wire format: a length byte before each label, a zero byte at the end
    /// @param data the call for the name's resolver
    /// @return result the encoded result of the resolver
    /// @return resolver the resolver of the name
    function resolveWithGateways(bytes calldata name, bytes calldata data, string[] calldata)
        external
        view
        returns (bytes memory result, address resolver)
    {
        // Wildcards are not supported: a name without a resolver is unknown.
        resolver = registry.resolver(namehash(name, 0));
        require(resolver != address(0), ResolverNotFound(name));
        require(resolver.code.length > 0, ResolverNotContract(name, resolver));
        bool answered;
        (answered, result) = resolver.staticcall(data);
        require(answered || result.length > 0, UnsupportedResolverProfile(bytes4(data)));
        require(answered, ResolverError(result));
    }

    /// Returns the node of the labels from `offset` on. Recursive, because the last label is hashed first.
    function namehash(bytes calldata name, uint256 offset) private pure returns (bytes32) {
        require(offset < name.length, DNSDecodingFailed(name));
        uint256 start = offset + 1;
        uint256 end = start + uint8(name[offset]);
        if (end == start) {
            require(end == name.length, DNSDecodingFailed(name));
            return bytes32(0);
        }
        require(end < name.length, DNSDecodingFailed(name));
        return keccak256(abi.encodePacked(namehash(name, end), keccak256(name[start:end])));
    }
}
