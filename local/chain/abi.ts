import { parseAbi } from 'viem'

/** The parts of the local chain's contract interfaces that this project uses. */
export const abi = {
  registry: parseAbi([
    'function setSubnodeRecord(bytes32 parent, bytes32 label, address newOwner, address newResolver)',
    'function owner(bytes32 node) view returns (address)',
    'function resolver(bytes32 node) view returns (address)',
    'error NotTheNameOwner(bytes32 node)',
  ]),
  resolver: parseAbi([
    'function setAddr(bytes32 node, address newAddress)',
    'function addr(bytes32 node) view returns (address)',
    'error NotTheNameOwner(bytes32 node)',
  ]),
  groupRoots: parseAbi([
    'function publishRoot(uint256 root)',
    'function latestRoot() view returns (uint256)',
    'function rootHistoryExpiry() view returns (uint256)',
    'function queryRoot(uint256 root) view returns (uint256 root, uint128 supersededTimestamp, bool isValid)',
    'event RootPublished(uint256 indexed root, uint256 indexed superseded)',
    'error NotARoot(uint256 root)',
    'error NotTheOwner()',
  ]),
  priceFeed: parseAbi([
    'function publish(int256 answer)',
    'function decimals() view returns (uint8)',
    'function description() view returns (string)',
    'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
    'event AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt)',
    'error NotTheOwner()',
  ]),
  token: parseAbi([
    'function mint(address to, uint256 value)',
    'function transfer(address to, uint256 value) returns (bool)',
    'function approve(address spender, uint256 value) returns (bool)',
    'function transferFrom(address from, address to, uint256 value) returns (bool)',
    'function name() view returns (string)',
    'function symbol() view returns (string)',
    'function decimals() view returns (uint8)',
    'function totalSupply() view returns (uint256)',
    'function balanceOf(address account) view returns (uint256)',
    'function allowance(address account, address spender) view returns (uint256)',
    'event Transfer(address indexed from, address indexed to, uint256 value)',
    'event Approval(address indexed owner, address indexed spender, uint256 value)',
    'error InsufficientBalance(address account, uint256 balance, uint256 needed)',
    'error InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
    'error InvalidReceiver(address receiver)',
    'error NotTheOwner()',
  ]),
}
