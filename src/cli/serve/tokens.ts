import { randomId } from '../../harness/mcp/index.ts';
import type { CliEnvironment } from '../process/environment.ts';
import { UsageError } from '../process/errors.ts';

type Variables = CliEnvironment['variables'];

/** The variable that gives clients over HTTP tokens that stay the same. A command line is in the list of processes, which every program can read. */
const tokenVariable = 'WINK_SERVE_TOKEN';

/**
 * One token for each client: those of the user, or new ones.
 *
 * @throws {UsageError} when the variable has another number of tokens, one of them twice, or one that is not a token.
 */
export function tokensOf(variables: Variables, clients: number): readonly string[] {
  const given = givenTokens(variables);
  if (given === undefined) return Array.from({ length: clients }, randomId);
  const isRight =
    given.length === clients &&
    new Set(given).size === clients &&
    given.every((token) => /^[A-Za-z0-9_-]{16,}$/.test(token));
  if (isRight) return given;
  const expected =
    clients === 1
      ? 'at least 16 characters of A-Za-z0-9_-, the token of one client; --clients N allows several, separated by commas'
      : `${clients} different tokens, one for each client, separated by commas: each at least 16 characters of A-Za-z0-9_-`;
  throw new UsageError(`the variable ${tokenVariable} must be ${expected}.`);
}

/** What clients send, one line for each of them. Tokens of the user are not repeated. */
export function tokenLines(variables: Variables, tokens: readonly string[]): readonly string[] {
  const isGiven = givenTokens(variables) !== undefined;
  return tokens.map((token, index) => {
    const who = tokens.length === 1 ? 'clients send' : `client ${index + 1} sends`;
    const part = tokens.length === 1 ? '' : `, part ${index + 1}`;
    return `${who} the header "Authorization: Bearer ${isGiven ? `$${tokenVariable}` : token}"${isGiven ? part : ''}.`;
  });
}

/** Undefined: the user has chosen none. */
function givenTokens(variables: Variables): readonly string[] | undefined {
  const text = variables[tokenVariable];
  return text === undefined || text === '' ? undefined : text.split(',').map((token) => token.trim());
}
