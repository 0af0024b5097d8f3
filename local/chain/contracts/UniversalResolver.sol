// SPDX-License-Identifier: GPL-3.0-or-later
pragma solidity ^0.8.30;

import {NameRegistry} from "./NameRegistry.sol";

/// One call from a name to its answer: finds the name's resolver and asks it. The functions and the
/// errors are those of the ENS universal resolver that clients know, without its off-chain lookups.
contract UniversalResolver {
    // Immutable, so in the code: the code alone can then be put at the well-known address.
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
    /// @return result what the resolver returned, still encoded
    /// @return resolver who answered
    function resolveWithGateways(bytes calldata name, bytes calldata data, string[] calldata)
        external
        view
        returns (bytes memory result, address resolver)
    {
        // No wildcards: a name without a resolver of its own is unknown.
        resolver = registry.resolver(namehash(name, 0));
        require(resolver != address(0), ResolverNotFound(name));
        require(resolver.code.length > 0, ResolverNotContract(name, resolver));
        bool answered;
        (answered, result) = resolver.staticcall(data);
        require(answered || result.length > 0, UnsupportedResolverProfile(bytes4(data)));
        require(answered, ResolverError(result));
    }

    /// The node of the labels from `offset` on. The last label is hashed first, hence the recursion.
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
