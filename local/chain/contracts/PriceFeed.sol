// SPDX-License-Identifier: GPL-3.0-or-later
pragma solidity ^0.8.30;

import {Owned} from "./Owned.sol";

/// A price feed with the part of Chainlink's interface that the platform calls. The owner sets its answers.
contract PriceFeed is Owned {
    string public description;
    uint8 public immutable decimals;

    uint80 private round;
    int256 private answer;
    uint256 private updatedAt;

    event AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt);

    constructor(address owner_, string memory description_, uint8 decimals_, int256 answer_) Owned(owner_) {
        description = description_;
        decimals = decimals_;
        update(answer_);
    }

    function publish(int256 answer_) external onlyOwner {
        update(answer_);
    }

    function latestRoundData()
        external
        view
        returns (uint80 roundId, int256 latest, uint256 startedAt, uint256 latestAt, uint80 answeredInRound)
    {
        return (round, answer, updatedAt, updatedAt, round);
    }

    function update(int256 answer_) private {
        round += 1;
        answer = answer_;
        updatedAt = block.timestamp;
        emit AnswerUpdated(answer_, round, block.timestamp);
    }
}
