// SPDX-License-Identifier: GPL-3.0-or-later
pragma solidity ^0.8.30;

/// Verifies Groth16 proofs over the curve BN254 that are compressed to four words.
library Bn254 {
    /// The order of the base field. Coordinates of points are below it.
    uint256 private constant P = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47;

    /// The order of the scalar field. Public inputs are below it.
    uint256 private constant R = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001;

    uint256 private constant HALF = (P + 1) / 2;

    /// The real and the imaginary part of the twist's coefficient, 3 / (9 + i).
    uint256 private constant TWIST_REAL = 0x2b149d40ceb8aaae81be18991be06ac3b5b4c5e559dbefa33267e6dc24a138e5;
    uint256 private constant TWIST_IMAGINARY = 0x009713b03af0fed4cd2cafadeed8fdf4a74fa084e52d1852e4a2bd0685c315d2;

    error ProofInvalid();
    error PublicInputNotInField();

    /// Reverts unless e(A, B) = e(alpha, beta) · e(X, gamma) · e(C, delta), where X is the constant plus each
    /// input times its point. The precompiled contract compares a product of pairings with 1, so A is negated.
    ///
    /// @param key alpha, beta, gamma, delta, the constant, and a point for each input; the imaginary part of a
    ///        coordinate comes first
    /// @param words A, the imaginary part of B's x, its real part with two bits, and C
    function requireProof(uint256[46] memory key, uint256[4] memory words, uint256[15] memory inputs)
        internal
        view
    {
        (uint256 x, uint256 y) = weightedSum(key, inputs);
        bytes memory pairs = abi.encodePacked(firstPair(words), key[0], key[1], twistPointOf(key, 2));
        pairs = abi.encodePacked(pairs, x, y, twistPointOf(key, 6));
        (x, y) = curvePoint(words[3]);
        pairs = abi.encodePacked(pairs, x, y, twistPointOf(key, 10));
        (bool isAnswered, bytes memory answer) = address(8).staticcall(pairs);
        require(isAnswered && abi.decode(answer, (bool)), ProofInvalid());
    }

    /// Returns -A and B.
    function firstPair(uint256[4] memory words) private view returns (bytes memory) {
        (uint256 x, uint256 y) = curvePoint(words[0]);
        return abi.encodePacked(x, negate(y), twistPoint(words[1], words[2]));
    }

    function twistPointOf(uint256[46] memory key, uint256 start) private pure returns (bytes memory) {
        return abi.encodePacked(key[start], key[start + 1], key[start + 2], key[start + 3]);
    }

    /// Returns the constant plus each input times its point.
    function weightedSum(uint256[46] memory key, uint256[15] memory inputs)
        private
        view
        returns (uint256 x, uint256 y)
    {
        (x, y) = (key[14], key[15]);
        for (uint256 i = 0; i < inputs.length; i++) {
            require(inputs[i] < R, PublicInputNotInField());
            (uint256 productX, uint256 productY) =
                pointFrom(address(7), abi.encode(key[16 + 2 * i], key[17 + 2 * i], inputs[i]));
            (x, y) = pointFrom(address(6), abi.encode(x, y, productX, productY));
        }
    }

    /// Calls a precompiled contract that multiplies or adds points.
    function pointFrom(address precompile, bytes memory input) private view returns (uint256, uint256) {
        (bool isAnswered, bytes memory answer) = precompile.staticcall(input);
        require(isAnswered, ProofInvalid());
        return abi.decode(answer, (uint256, uint256));
    }

    /// Decompresses x << 1 | sign. The word 0 is the point at infinity.
    function curvePoint(uint256 word) private view returns (uint256 x, uint256 y) {
        if (word == 0) return (0, 0);
        x = word >> 1;
        require(x < P, ProofInvalid());
        y = squareRoot(addmod(mulmod(mulmod(x, x, P), x, P), 3, P));
        if (word & 1 == 1) y = negate(y);
    }

    /// Decompresses the imaginary part of x, and its real part << 2 | hint << 1 | sign. Returns the coordinates
    /// in the order of the precompiled contract.
    function twistPoint(uint256 imaginary, uint256 word) private view returns (bytes memory) {
        if (word == 0 && imaginary == 0) return new bytes(128);
        uint256 real = word >> 2;
        require(real < P && imaginary < P, ProofInvalid());
        (uint256 a, uint256 b) = multiply(real, imaginary, real, imaginary);
        (a, b) = multiply(a, b, real, imaginary);
        (a, b) = complexRoot(addmod(a, TWIST_REAL, P), addmod(b, TWIST_IMAGINARY, P), word & 2 == 2);
        if (word & 1 == 1) (a, b) = (negate(a), negate(b));
        return abi.encode(imaginary, real, b, a);
    }

    /// Multiplies two numbers of the extension field with i² = -1.
    function multiply(uint256 a, uint256 b, uint256 c, uint256 d) private pure returns (uint256, uint256) {
        return (
            addmod(mulmod(a, c, P), negate(mulmod(b, d, P)), P),
            addmod(mulmod(a, d, P), mulmod(b, c, P), P)
        );
    }

    /// Computes a square root by the complex method. The hint selects between the two roots of the norm.
    function complexRoot(uint256 a, uint256 b, bool hint) private view returns (uint256 real, uint256 imaginary) {
        uint256 norm = squareRoot(addmod(mulmod(a, a, P), mulmod(b, b, P), P));
        if (hint) norm = negate(norm);
        real = squareRoot(mulmod(addmod(a, norm, P), HALF, P));
        imaginary = mulmod(b, power(addmod(real, real, P), P - 2), P);
        (uint256 squareReal, uint256 squareImaginary) = multiply(real, imaginary, real, imaginary);
        require(squareReal == a && squareImaginary == b, ProofInvalid());
    }

    /// Computes a square root with a single power, since P is 3 modulo 4.
    function squareRoot(uint256 n) private view returns (uint256 root) {
        root = power(n, (P + 1) / 4);
        require(mulmod(root, root, P) == n, ProofInvalid());
    }

    function power(uint256 base, uint256 exponent) private view returns (uint256) {
        (, bytes memory answer) = address(5).staticcall(abi.encode(32, 32, 32, base, exponent, P));
        return abi.decode(answer, (uint256));
    }

    function negate(uint256 n) private pure returns (uint256) {
        return n == 0 ? 0 : P - n;
    }
}
